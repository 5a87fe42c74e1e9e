//! Adapter for gguf-rs: its reader, which keeps pairs in a map as JSON, without their types.
#[path = "../protocol/protocol.rs"]
mod protocol;

use protocol::*;

fn value(v: &Json) -> Json {
    match v {
        Json::Array(values) => array(None, values.iter().map(value).collect()),
        Json::String(text) => scalar("string", text),
        Json::Bool(v) => scalar("bool", v),
        // JSON has no NaN and no infinity.
        Json::Null => scalar("number", "nan"),
        v => scalar("number", v),
    }
}

fn read(_: &str, ask: &Json) -> Said {
    let path = ask["path"].as_str().unwrap_or("");
    let mut container = gguf_rs::get_gguf_container_array_size(path, u64::MAX).map_err(words)?;
    let model = container.decode().map_err(words)?;
    let metadata: Vec<Json> = model.metadata().iter().map(|(key, v)| pair(key, value(v))).collect();
    let tensors: Vec<Json> = model.tensors().iter().map(|t| {
        json!({"name": t.name, "type": t.kind, "dims": decimals(&t.shape[..t.n_dimensions as usize]), "offset": t.offset, "size": t.size})
    }).collect();
    Ok(json!({"alignment": model.alignment(), "metadata": metadata, "tensors": tensors}))
}

fn main() {
    let version = locked(include_str!("Cargo.lock"), "gguf-rs");
    let hello = json!({"protocol": 1, "name": "gguf-rs", "version": version, "language": "Rust", "reads": ["file", "unordered"]});
    serve(hello, read);
}
