// Adapter for node-llama-cpp's own reader in TypeScript, which nests keys by their dots and tells
// values without their types. It splices shards.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { readGgufFileInfo } from "node-llama-cpp";

const text = (v) => (Object.is(v, -0) ? "-0" : String(v)).replace("Infinity", "inf").replace("NaN", "nan");

function value(v) {
  if (Array.isArray(v)) return { type: "array", values: v.map(value) };
  if (typeof v === "string") return { type: "string", value: v };
  if (typeof v === "boolean") return { type: "bool", value: String(v) };
  return { type: "number", value: text(v) };
}

function pairs(object, prefix = "") {
  return Object.entries(object).flatMap(([name, v]) =>
    v !== null && typeof v === "object" && !Array.isArray(v) ? pairs(v, `${prefix}${name}.`) : [{ key: prefix + name, ...value(v) }]);
}

async function read(ask) {
  try {
    readFileSync(ask.path);
  } catch (e) {
    return { verdict: "error", message: String(e.message) };
  }
  let file;
  try {
    file = await readGgufFileInfo(ask.path, { sourceType: "filesystem", logWarnings: false });
  } catch (e) {
    return { verdict: "reject", message: `${e.name}: ${e.message}` };
  }
  const tensors = file.fullTensorInfo.map((t) => ({
    name: t.name, type: t.ggmlType, dims: t.dimensions.map(String), offset: String(t.offset),
  }));
  return { verdict: "accept", version: file.version, metadata: pairs(file.metadata), tensors };
}

const { version } = JSON.parse(readFileSync(new URL("node_modules/node-llama-cpp/package.json", import.meta.url)));
const reads = ["file", "shards", "unordered"];

for await (const line of createInterface({ input: process.stdin })) {
  const ask = JSON.parse(line);
  let answer = { verdict: "unsupported", message: "no such operation" };
  if (ask.op === "hello") answer = { protocol: 1, name: "node-llama-cpp", version, language: "TypeScript", reads };
  if (ask.op === "read") answer = await read(ask);
  if (ask.op === "exit") answer = { verdict: "accept" };
  process.stdout.write(JSON.stringify({ id: ask.id, ...answer }) + "\n");
  if (ask.op === "exit") break;
}
process.exit(0);
