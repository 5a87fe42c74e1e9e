//! Adapter for candle-core: its reader, which keeps pairs and tensors in maps, its writer, its dequantizers.
#[path = "../protocol/protocol.rs"]
mod protocol;

use candle_core::quantized::gguf_file::{self, Content, Value, VersionedMagic};
use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use candle_core::Device;
use protocol::*;
use std::{borrow::Cow, fs::File, io::BufReader};
use GgmlDType::*;

const TYPES: [(GgmlDType, u32); 15] = [
    (F32, 0), (F16, 1), (Q4_0, 2), (Q4_1, 3), (Q5_0, 6), (Q5_1, 7), (Q8_0, 8), (Q8_1, 9),
    (Q2K, 10), (Q3K, 11), (Q4K, 12), (Q5K, 13), (Q6K, 14), (Q8K, 15), (BF16, 30),
];

fn type_id(dtype: GgmlDType) -> u32 {
    TYPES.iter().find(|(t, _)| *t == dtype).expect("a type of the table").1
}

fn value(v: &Value) -> Json {
    match v {
        Value::U8(v) => scalar("uint8", v),
        Value::I8(v) => scalar("int8", v),
        Value::U16(v) => scalar("uint16", v),
        Value::I16(v) => scalar("int16", v),
        Value::U32(v) => scalar("uint32", v),
        Value::I32(v) => scalar("int32", v),
        Value::U64(v) => scalar("uint64", v),
        Value::I64(v) => scalar("int64", v),
        Value::F32(v) => float32(*v),
        Value::F64(v) => float64(*v),
        Value::Bool(v) => scalar("bool", v),
        Value::String(v) => scalar("string", v),
        Value::Array(v) => array(None, v.iter().map(value).collect()),
    }
}

fn read(ask: &Json) -> Said {
    let mut file = BufReader::new(File::open(ask["path"].as_str().unwrap_or("")).map_err(failed)?);
    let content = Content::read(&mut file).map_err(words)?;
    let mut tensors = Vec::new();
    for (name, info) in &content.tensor_infos {
        let dims: Vec<usize> = info.shape.dims().iter().rev().copied().collect(); // innermost first
        let mut tensor = json!({"name": name, "type": type_id(info.ggml_dtype), "dims": decimals(&dims), "offset": info.offset});
        if ask["stage"] == "data" {
            let loaded = content.tensor(&mut file, name, &Device::Cpu).map_err(words)?;
            tensor["sha256"] = json!(sha256(&loaded.data().map_err(words)?));
        }
        tensors.push(tensor);
    }
    let version = match content.magic {
        VersionedMagic::GgufV1 => 1,
        VersionedMagic::GgufV2 => 2,
        VersionedMagic::GgufV3 => 3,
    };
    let metadata: Vec<Json> = content.metadata.iter().map(|(key, v)| pair(key, value(v))).collect();
    Ok(json!({"version": version, "metadata": metadata, "tensors": tensors}))
}

fn own_value(v: &Json) -> Result<Value, String> {
    Ok(match v["type"].as_str().unwrap_or("") {
        "uint8" => Value::U8(number(v)?),
        "int8" => Value::I8(number(v)?),
        "uint16" => Value::U16(number(v)?),
        "int16" => Value::I16(number(v)?),
        "uint32" => Value::U32(number(v)?),
        "int32" => Value::I32(number(v)?),
        "uint64" => Value::U64(number(v)?),
        "int64" => Value::I64(number(v)?),
        "float32" => Value::F32(f32::from_bits(bits(v) as u32)),
        "float64" => Value::F64(f64::from_bits(bits(v))),
        "bool" => Value::Bool(number(v)?),
        "array" => Value::Array(elements(v).iter().map(own_value).collect::<Result<_, _>>()?),
        _ => Value::String(text(&v["value"])?),
    })
}

fn tensor(kind: &Json, bytes: Vec<u8>, dims: Vec<usize>) -> Result<QTensor, String> {
    let dtype = TYPES.iter().find(|(_, id)| *kind == *id).ok_or(format!("candle has no tensor type {kind}"))?.0;
    let storage = QStorage::from_data(Cow::from(bytes), &Device::Cpu, dtype).map_err(words)?;
    QTensor::new(storage, dims).map_err(words)
}

fn write(ask: &Json) -> Said {
    let list = |name: &str| ask[name].as_array().cloned().unwrap_or_default();
    let pair = |p: &Json| Ok((text(&p["key"])?, own_value(p)?));
    let named = |t: &Json| Ok((text(&t["name"])?, tensor(&t["type"], bytes(t), dims(t).into_iter().rev().collect())?));
    let pairs = list("metadata").iter().map(pair).collect::<Result<Vec<_>, String>>()?;
    let tensors = list("tensors").iter().map(named).collect::<Result<Vec<_>, String>>()?;
    let mut file = File::create(ask["path"].as_str().unwrap_or("")).map_err(failed)?;
    let pairs: Vec<_> = pairs.iter().map(|(k, v)| (k.as_str(), v)).collect();
    let tensors: Vec<_> = tensors.iter().map(|(n, t)| (n.as_str(), t)).collect();
    gguf_file::write(&mut file, &pairs, &tensors).map_err(|e| match e {
        candle_core::Error::Io(e) => failed(e),
        e => words(e),
    })?;
    Ok(json!({}))
}

fn dequantize(ask: &Json) -> Said {
    let count = ask["count"].as_str().and_then(|n| n.parse::<usize>().ok()).expect("a count");
    let values = tensor(&ask["type"], bytes(ask), vec![count])?.dequantize(&Device::Cpu).and_then(|t| t.to_vec1::<f32>());
    let values: Vec<u8> = values.map_err(words)?.iter().flat_map(|v| v.to_le_bytes()).collect();
    Ok(json!({"base64": base64(&values)}))
}

fn main() {
    let hello = json!({"protocol": 1, "name": "candle", "version": locked(include_str!("Cargo.lock"), "candle-core"), "language": "Rust",
        "reads": ["file", "tensor_bytes", "unordered"], "writes": ["file"], "dequantizes": TYPES.map(|(_, id)| id)});
    serve(hello, |op, ask| match op {
        "read" => read(ask),
        "write" => write(ask),
        _ => dequantize(ask),
    });
}
