//! Speaks the protocol of ../README.md, for adapters in Rust.
#![allow(dead_code)]
use std::io::{BufRead, Write};

use base64::{engine::general_purpose::STANDARD, Engine};
pub use serde_json::{json, Value as Json};
use sha2::{Digest, Sha256};

/// Contents of a file that was read, or the words with which the implementation refuses.
pub type Said = Result<Json, String>;

/// Answers until it is asked to exit. `handle` gets the operations that `hello` offers, and a
/// file to read has been opened before; a panic is left to be one.
pub fn serve(hello: Json, mut handle: impl FnMut(&str, &Json) -> Said) {
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}"))); // the harness quotes the last line
    let offers = |op: &str| match op {
        "read" => hello.get("reads").is_some(),
        "write" => hello.get("writes").is_some(),
        _ => op == "dequantize" && hello.get("dequantizes").is_some(),
    };
    for line in std::io::stdin().lock().lines() {
        let ask: Json = serde_json::from_str(&line.expect("a line")).expect("JSON");
        let op = ask["op"].as_str().unwrap_or("");
        let path = ask["path"].as_str().unwrap_or("");
        let mut answer = match op {
            "hello" => hello.clone(),
            "exit" => json!({"verdict": "accept"}),
            _ if !offers(op) => json!({"verdict": "unsupported", "message": "no such operation"}),
            _ => {
                let opened = match op {
                    "read" => std::fs::File::open(path).err(),
                    _ => None,
                };
                match opened.map_or_else(|| handle(op, &ask), |e| Err(format!("{FAILED}{e}"))) {
                    Ok(mut out) => {
                        out["verdict"] = json!("accept");
                        out
                    }
                    Err(message) => match message.strip_prefix(FAILED) {
                        Some(message) => json!({"verdict": "error", "message": message}),
                        None => json!({"verdict": "reject", "message": message}),
                    },
                }
            }
        };
        answer["id"] = ask["id"].clone();
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}").and_then(|_| out.flush()).expect("the harness listens");
        if op == "exit" {
            return;
        }
    }
}

const FAILED: &str = "\u{0}";

/// The words of an error that is not in the file: it cannot be opened, or written to.
pub fn failed(error: impl std::fmt::Display) -> String {
    format!("{FAILED}{error}")
}

/// The first line of an error: some add where they come from.
pub fn words(error: impl std::fmt::Display) -> String {
    error.to_string().lines().next().unwrap_or("").to_string()
}

/// A whole number or a bool of the type that `kind` names.
pub fn scalar(kind: &str, v: impl std::fmt::Display) -> Json {
    json!({"type": kind, "value": v.to_string()})
}

pub fn float32(v: f32) -> Json {
    json!({"type": "float32", "bits": format!("{:08x}", v.to_bits())})
}

pub fn float64(v: f64) -> Json {
    json!({"type": "float64", "bits": format!("{:016x}", v.to_bits())})
}

pub fn array(element_type: Option<&str>, values: Vec<Json>) -> Json {
    match element_type {
        Some(name) => json!({"type": "array", "element_type": name, "values": values}),
        None => json!({"type": "array", "values": values}),
    }
}

pub fn pair(key: &str, mut value: Json) -> Json {
    value["key"] = json!(key);
    value
}

pub fn decimals<T: std::fmt::Display>(values: &[T]) -> Vec<String> {
    values.iter().map(|v| v.to_string()).collect()
}

pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// The version of a package in a lock file.
pub fn locked(lock: &str, package: &str) -> String {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    let version = lines.nth(1).and_then(|line| line.split('"').nth(1));
    version.unwrap_or("unknown").to_string()
}

// ------------------------------ What a question holds ------------------------------

pub fn bytes(of: &Json) -> Vec<u8> {
    STANDARD.decode(of["base64"].as_str().unwrap_or("")).expect("base64")
}

pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Text, where a Rust string can hold it.
pub fn text(v: &Json) -> Result<String, String> {
    v.as_str().map(str::to_string).ok_or_else(|| "a Rust string holds UTF-8 alone".to_string())
}

/// A number's text as a type of Rust; what does not fit is refused by the type.
pub fn number<T: std::str::FromStr>(v: &Json) -> Result<T, String>
where
    T::Err: std::fmt::Display,
{
    v["value"].as_str().unwrap_or("").parse::<T>().map_err(|e| e.to_string())
}

pub fn bits(v: &Json) -> u64 {
    u64::from_str_radix(v["bits"].as_str().unwrap_or(""), 16).unwrap_or(0)
}

pub fn elements(v: &Json) -> &[Json] {
    v["values"].as_array().map_or(&[], |a| a.as_slice())
}

pub fn dims<T: std::str::FromStr>(tensor: &Json) -> Vec<T> {
    let dims = tensor["dims"].as_array().expect("dims");
    dims.iter().map(|d| d.as_str().and_then(|d| d.parse().ok()).expect("a dimension")).collect()
}
