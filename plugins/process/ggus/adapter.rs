//! Adapter for ggus: its reader. A tensor's bytes are left to the caller, who slices them.
#[path = "../protocol/protocol.rs"]
mod protocol;

use ggus::{GGuf, GGufMetaDataValueType as Type, GGufReadError, GGufReader};
use protocol::*;

fn name(ty: Type) -> &'static str {
    match ty {
        Type::U8 => "uint8",
        Type::I8 => "int8",
        Type::U16 => "uint16",
        Type::I16 => "int16",
        Type::U32 => "uint32",
        Type::I32 => "int32",
        Type::U64 => "uint64",
        Type::I64 => "int64",
        Type::F32 => "float32",
        Type::F64 => "float64",
        Type::Bool => "bool",
        Type::String => "string",
        Type::Array => "array",
    }
}

fn value(ty: Type, reader: &mut GGufReader) -> Result<Json, GGufReadError> {
    Ok(match ty {
        Type::U8 => scalar("uint8", reader.read::<u8>()?),
        Type::I8 => scalar("int8", reader.read::<i8>()?),
        Type::U16 => scalar("uint16", reader.read::<u16>()?),
        Type::I16 => scalar("int16", reader.read::<i16>()?),
        Type::U32 => scalar("uint32", reader.read::<u32>()?),
        Type::I32 => scalar("int32", reader.read::<i32>()?),
        Type::U64 => scalar("uint64", reader.read::<u64>()?),
        Type::I64 => scalar("int64", reader.read::<i64>()?),
        Type::F32 => float32(reader.read()?),
        Type::F64 => float64(reader.read()?),
        Type::Bool => scalar("bool", reader.read_bool()?),
        Type::String => scalar("string", reader.read_str()?),
        Type::Array => {
            let (element, count) = reader.read_arr_header()?;
            let values = (0..count).map(|_| value(element, reader)).collect::<Result<Vec<_>, _>>()?;
            array(Some(name(element)), values)
        }
    })
}

fn read(_: &str, ask: &Json) -> Said {
    let bytes = std::fs::read(ask["path"].as_str().unwrap_or("")).map_err(failed)?;
    let file = GGuf::new(&bytes).map_err(|e| format!("{e:?}"))?;
    let mut metadata = Vec::new();
    for (key, kv) in &file.meta_kvs {
        let v = value(kv.ty(), &mut kv.value_reader()).map_err(|e| format!("{key}: {e:?}"))?;
        metadata.push(pair(key, v));
    }
    let tensors: Vec<Json> = file.tensors.iter().map(|(name, tensor)| {
        let info = tensor.to_info();
        json!({"name": name, "type": info.ty() as u32, "dims": decimals(info.shape()), "offset": info.offset(), "size": info.nbytes()})
    }).collect();
    Ok(json!({"version": file.header.version, "alignment": file.alignment, "metadata": metadata, "tensors": tensors}))
}

fn main() {
    let version = locked(include_str!("Cargo.lock"), "ggus");
    serve(json!({"protocol": 1, "name": "ggus", "version": version, "language": "Rust", "reads": ["file"]}), read);
}
