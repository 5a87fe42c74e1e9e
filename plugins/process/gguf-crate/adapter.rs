//! Adapter for the crate gguf: its reader.
#[path = "../protocol/protocol.rs"]
mod protocol;

use gguf::{GGUFFile, GGUFMetadataValue as Value};
use protocol::*;

// By the ids of the file.
const NAMES: [&str; 13] =
    ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "bool", "string", "array", "uint64", "int64", "float64"];

fn value(v: &Value) -> Json {
    match v {
        Value::Uint8(v) => scalar("uint8", v),
        Value::Int8(v) => scalar("int8", v),
        Value::Uint16(v) => scalar("uint16", v),
        Value::Int16(v) => scalar("int16", v),
        Value::Uint32(v) => scalar("uint32", v),
        Value::Int32(v) => scalar("int32", v),
        Value::Uint64(v) => scalar("uint64", v),
        Value::Int64(v) => scalar("int64", v),
        Value::Float32(v) => float32(*v),
        Value::Float64(v) => float64(*v),
        Value::Bool(v) => scalar("bool", v),
        Value::String(v) => scalar("string", v),
        Value::Array(v) => array(Some(NAMES[v.value_type as usize]), v.value.iter().map(value).collect()),
    }
}

fn read(_: &str, ask: &Json) -> Said {
    let bytes = std::fs::read(ask["path"].as_str().unwrap_or("")).map_err(failed)?;
    // Nothing means that more bytes are wanted.
    let file = GGUFFile::read(&bytes)?.ok_or("the file is not complete")?;
    let metadata: Vec<Json> = file.header.metadata.iter().map(|kv| pair(&kv.key, value(&kv.value))).collect();
    let tensors: Vec<Json> = file.tensors.iter().map(|t| {
        json!({"name": t.name, "type": t.tensor_type as u32, "dims": decimals(&t.dimensions), "offset": t.offset})
    }).collect();
    Ok(json!({"version": file.header.version, "metadata": metadata, "tensors": tensors}))
}

fn main() {
    let version = locked(include_str!("Cargo.lock"), "gguf");
    serve(json!({"protocol": 1, "name": "gguf-crate", "version": version, "language": "Rust", "reads": ["file"]}), read);
}
