// Adapter for hyllama: its reader, which tells values without their types.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { ggufMetadata } from "hyllama";

const OWN = new Set(["version", "tensorCount", "metadataKVCount", "metadata_kv_count", "tensor_count", "kv_count"]);

const text = (v) => (Object.is(v, -0) ? "-0" : String(v)).replace("Infinity", "inf").replace("NaN", "nan");

function value(v) {
  if (Array.isArray(v)) return { type: "array", values: v.map(value) };
  if (typeof v === "string") return { type: "string", value: v };
  if (typeof v === "boolean") return { type: "bool", value: String(v) };
  return { type: "number", value: text(v) };
}

function read(ask) {
  let bytes;
  try {
    bytes = new Uint8Array(readFileSync(ask.path));
  } catch (e) {
    return { verdict: "error", message: String(e.message) };
  }
  let file;
  try {
    file = ggufMetadata(bytes.buffer);
  } catch (e) {
    return { verdict: "reject", message: `${e.name}: ${e.message}` };
  }
  const metadata = Object.entries(file.metadata)
    .filter(([key]) => !OWN.has(key))
    .map(([key, v]) => ({ key, ...value(v) }));
  const tensors = file.tensorInfos.map((t) => ({
    name: t.name, type: t.type, dims: t.shape.map(String), offset: String(t.offset),
  }));
  return { verdict: "accept", version: file.metadata.version, metadata, tensors };
}

const { version } = JSON.parse(readFileSync(new URL("node_modules/hyllama/package.json", import.meta.url)));

for await (const line of createInterface({ input: process.stdin })) {
  const ask = JSON.parse(line);
  let answer = { verdict: "unsupported", message: "no such operation" };
  if (ask.op === "hello") answer = { protocol: 1, name: "hyllama", version, language: "JavaScript", reads: ["file"] };
  if (ask.op === "read") answer = read(ask);
  if (ask.op === "exit") answer = { verdict: "accept" };
  process.stdout.write(JSON.stringify({ id: ask.id, ...answer }) + "\n");
  if (ask.op === "exit") break;
}
