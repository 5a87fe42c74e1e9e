//! Adapter for gguf-rs-lib: its reader, which keeps pairs in a map, and its builder.
#[path = "../protocol/protocol.rs"]
mod protocol;

use gguf_rs_lib::format::metadata::{MetadataArray, MetadataValue};
use gguf_rs_lib::format::types::{GGUFTensorType, GGUFValueType};
use gguf_rs_lib::prelude::{GGUFBuilder, GGUFError};
use gguf_rs_lib::reader::GGUFFileReader;
use protocol::*;
use std::{fs::File, io::BufReader};
use MetadataValue::*;

// By the ids of the file.
const NAMES: [&str; 13] =
    ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "bool", "string", "array", "uint64", "int64", "float64"];

fn value(v: &MetadataValue) -> Json {
    match v {
        U8(v) => scalar("uint8", v),
        I8(v) => scalar("int8", v),
        U16(v) => scalar("uint16", v),
        I16(v) => scalar("int16", v),
        U32(v) => scalar("uint32", v),
        I32(v) => scalar("int32", v),
        U64(v) => scalar("uint64", v),
        I64(v) => scalar("int64", v),
        F32(v) => float32(*v),
        F64(v) => float64(*v),
        Bool(v) => scalar("bool", v),
        String(v) => scalar("string", v),
        Array(v) => array(Some(NAMES[v.element_type as usize]), v.values.iter().map(value).collect()),
    }
}

fn read(ask: &Json) -> Said {
    let file = BufReader::new(File::open(ask["path"].as_str().unwrap_or("")).map_err(failed)?);
    let mut reader = GGUFFileReader::new(file).map_err(words)?;
    let mut tensors = Vec::new();
    for info in reader.tensor_infos().to_vec() {
        let mut tensor = json!({"name": info.name(), "type": info.tensor_type() as u32, "dims": decimals(info.shape().dims()),
            "offset": info.data_offset(), "size": info.expected_data_size()});
        if ask["stage"] == "data" {
            let data = reader.load_tensor_data(info.name()).map_err(words)?.ok_or("no such tensor")?;
            tensor["sha256"] = json!(sha256(data.as_slice()));
        }
        tensors.push(tensor);
    }
    let metadata: Vec<Json> = reader.metadata().iter().map(|(key, v)| pair(key, value(v))).collect();
    Ok(json!({"version": reader.header().version, "alignment": reader.tensor_alignment(), "metadata": metadata, "tensors": tensors}))
}

fn own_value(v: &Json) -> Result<MetadataValue, std::string::String> {
    Ok(match v["type"].as_str().unwrap_or("") {
        "uint8" => U8(number(v)?),
        "int8" => I8(number(v)?),
        "uint16" => U16(number(v)?),
        "int16" => I16(number(v)?),
        "uint32" => U32(number(v)?),
        "int32" => I32(number(v)?),
        "uint64" => U64(number(v)?),
        "int64" => I64(number(v)?),
        "float32" => F32(f32::from_bits(bits(v) as u32)),
        "float64" => F64(f64::from_bits(bits(v))),
        "bool" => Bool(number(v)?),
        "array" => {
            let id = NAMES.iter().position(|n| v["element_type"] == **n).expect("a type's name") as u32;
            let values = elements(v).iter().map(own_value).collect::<Result<_, _>>()?;
            Array(Box::new(MetadataArray::new(GGUFValueType::from_u32(id).map_err(words)?, values).map_err(words)?))
        }
        _ => String(text(&v["value"])?),
    })
}

fn write(ask: &Json) -> Said {
    let list = |name: &str| ask[name].as_array().cloned().unwrap_or_default();
    let mut builder = GGUFBuilder::new();
    for p in list("metadata") {
        if p["key"] == "general.alignment" && p["type"] == "uint32" {
            builder = builder.with_tensor_alignment(number(&p)?);
        }
        builder = builder.add_metadata(text(&p["key"])?, own_value(&p)?);
    }
    for t in list("tensors") {
        let kind = GGUFTensorType::from_u32(t["type"].as_u64().expect("an id") as u32).map_err(words)?;
        builder = builder.add_tensor(text(&t["name"])?, dims(&t), kind, bytes(&t)).map_err(words)?;
    }
    match builder.build_to_file(ask["path"].as_str().unwrap_or("")) {
        Ok(_) => Ok(json!({})),
        Err(GGUFError::Io(e)) => Err(failed(e)),
        Err(e) => Err(words(e)),
    }
}

fn main() {
    let hello = json!({"protocol": 1, "name": "gguf-rs-lib", "version": locked(include_str!("Cargo.lock"), "gguf-rs-lib"),
        "language": "Rust", "reads": ["file", "tensor_bytes", "unordered"], "writes": ["file"]});
    serve(hello, |op, ask| if op == "read" { read(ask) } else { write(ask) });
}
