// Adapter for @huggingface/gguf: its reader, with the types that typedMetadata tells.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { gguf } from "@huggingface/gguf";

const NAMES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "bool", "string", "array", "uint64", "int64", "float64"];
const OWN = new Set(["version", "tensor_count", "kv_count"]); // keys that the library adds

// A number in JavaScript is a double or a bigint; -0 and NaN keep their text.
const text = (v) => (Object.is(v, -0) ? "-0" : String(v)).replace("Infinity", "inf").replace("NaN", "nan");

function value(v, type, subType) {
  if (Array.isArray(v)) {
    const element = NAMES[subType];
    const values = v.map((e) => (Array.isArray(e) ? value(e, 9) : element ? value(e, subType) : untyped(e)));
    return element ? { type: "array", element_type: element, values } : { type: "array", values };
  }
  return { type: NAMES[type], value: text(v) };
}

function untyped(v) {
  if (typeof v === "string") return { type: "string", value: v };
  if (typeof v === "boolean") return { type: "bool", value: String(v) };
  return { type: "number", value: text(v) };
}

async function read(ask) {
  try {
    readFileSync(ask.path);
  } catch (e) {
    return { verdict: "error", message: String(e.message) };
  }
  let file;
  try {
    file = await gguf(ask.path, { allowLocalFile: true, typedMetadata: true });
  } catch (e) {
    return { verdict: "reject", message: `${e.name}: ${e.message}` };
  }
  const metadata = Object.entries(file.typedMetadata)
    .filter(([key]) => !OWN.has(key))
    .map(([key, v]) => ({ key, ...value(v.value, v.type, v.subType) }));
  const tensors = file.tensorInfos.map((t) => ({
    name: t.name, type: t.dtype, dims: t.shape.map(String), offset: String(t.offset),
  }));
  return { verdict: "accept", version: file.metadata.version, byte_order: file.littleEndian ? "little" : "big", metadata, tensors };
}

const { version } = JSON.parse(readFileSync(new URL("node_modules/@huggingface/gguf/package.json", import.meta.url)));

for await (const line of createInterface({ input: process.stdin })) {
  const ask = JSON.parse(line);
  let answer = { verdict: "unsupported", message: "no such operation" };
  if (ask.op === "hello") answer = { protocol: 1, name: "huggingface-gguf", version, language: "JavaScript", reads: ["file"] };
  if (ask.op === "read") answer = await read(ask);
  if (ask.op === "exit") answer = { verdict: "accept" };
  process.stdout.write(JSON.stringify({ id: ask.id, ...answer }) + "\n");
  if (ask.op === "exit") break;
}
process.exit(0);
