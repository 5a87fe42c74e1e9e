"""Adapter for gguf-py, the official Python package: reader, writer, dequantizers."""
import base64, hashlib, importlib.metadata, json, logging, sys

import gguf
import numpy as np
logging.disable(logging.CRITICAL)
TYPES = {t.name.lower(): t for t in gguf.GGUFValueType}
PACKED = dict(uint8="u1", int8="i1", uint16="<u2", int16="<i2", uint32="<u4", int32="<i4", uint64="<u8",
              int64="<i8", float32="<f4", float64="<f8", bool="u1")

def text(raw):
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return {"hex": raw.hex()}

def value_of(field):
    """A field's types are those on the way to its elements; its data index the parts that hold them."""
    kind = field.types[0]
    if kind == gguf.GGUFValueType.STRING:
        return {"type": "string", "value": text(bytes(field.parts[field.data[0]]))}
    if kind != gguf.GGUFValueType.ARRAY:
        part = field.parts[field.data[0]]
        out = {"type": kind.name.lower(), "value": str(part[0]).lower()}
        if out["type"].startswith("float"):
            out["bits"] = part.astype(part.dtype.newbyteorder(">"))[:1].tobytes().hex()
        return out
    parts, out, element = [field.parts[i] for i in field.data], {"type": "array"}, field.types[1:]
    if element:
        out["element_type"] = element[0].name.lower()
    if element == [gguf.GGUFValueType.STRING]:
        return {**out, "values": [text(bytes(p)) for p in parts]}
    if len(element) == 1 and out["element_type"] in PACKED:
        packed = np.concatenate(parts).astype(PACKED[out["element_type"]]) if parts else b""
        return {**out, "base64": base64.b64encode(bytes(packed)).decode()}
    # Of nested arrays the reader gives the innermost elements in one row.
    return {**out, "values": [{"type": "number", "value": str(p[0]).lower()} for p in parts]}

def read(path, stage):
    reader = gguf.GGUFReader(path)
    metadata = [{"key": text(key.encode()), **value_of(field)} for key, field in reader.fields.items()
                if not key.startswith("GGUF.")]
    tensors = []
    for t in reader.tensors:
        info = {"name": text(bytes(t.field.parts[1])), "type": int(t.tensor_type), "size": str(t.n_bytes),
                "dims": [str(int(d)) for d in t.shape], "offset": str(int(t.field.parts[-1][0]))}
        if stage == "data":
            info["sha256"] = hashlib.sha256(t.data.tobytes()).hexdigest()
        tensors.append(info)
    return {"verdict": "accept", "version": int(reader.fields["GGUF.version"].parts[-1][0]), "metadata": metadata,
            "byte_order": reader.endianess.name.lower(), "alignment": int(reader.alignment), "tensors": tensors}

def python_value(v):
    if v["type"] == "array":
        return [python_value(e) for e in v["values"]]
    if v["type"] == "string":
        return v["value"] if "value" in v else bytes.fromhex(v["hex"])
    if v["type"] == "bool":
        return {"true": True, "false": False}.get(v["value"], v["value"])
    if "bits" in v:
        return float(np.frombuffer(bytes.fromhex(v["bits"])[::-1], "<f4" if v["type"] == "float32" else "<f8")[0])
    return int(v["value"])

def write(ask):
    arch = [p["value"] for p in ask["metadata"] if p["key"] == "general.architecture" and p["type"] == "string"]
    order = gguf.GGUFEndian.BIG if ask["byte_order"] == "big" else gguf.GGUFEndian.LITTLE
    writer = gguf.GGUFWriter(None, arch[0] if arch else "none", endianess=order)
    writer.kv_data[0].clear()  # the constructor puts the architecture first; here the model orders
    for p in ask["metadata"]:
        if p["key"] == "general.alignment":
            writer.data_alignment = int(p["value"])
        sub = TYPES[p["element_type"]] if "element_type" in p else None
        writer.add_key_value(p["key"], python_value(p), TYPES[p["type"]], sub)
    for t in ask["tensors"]:
        kind, dims = gguf.GGMLQuantizationType(t["type"]), [int(d) for d in reversed(t["dims"])]
        dims[-1] = gguf.GGML_QUANT_SIZES[kind][1] * dims[-1] // gguf.GGML_QUANT_SIZES[kind][0]
        data = np.frombuffer(base64.b64decode(t["base64"]), np.uint8)
        writer.add_tensor(t["name"], data, raw_shape=dims, raw_dtype=kind)
    writer.write_header_to_file(ask["path"])
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return {"verdict": "accept"}

def dequantize(ask):
    blocks = np.frombuffer(base64.b64decode(ask["base64"]), np.uint8)
    values = gguf.quants.dequantize(blocks, gguf.GGMLQuantizationType(ask["type"])).astype("<f4")
    return {"verdict": "accept", "base64": base64.b64encode(values.tobytes()).decode()}

def able():
    for kind in gguf.GGMLQuantizationType:
        try:
            gguf.quants.dequantize(np.zeros(gguf.GGML_QUANT_SIZES[kind][1], np.uint8), kind)
            yield int(kind)
        except NotImplementedError:
            pass

def answer(ask):
    if ask["op"] == "hello":
        return {"protocol": 1, "name": "gguf-py", "version": importlib.metadata.version("gguf"), "language": "Python",
                "reads": ["file", "tensor_bytes"], "writes": ["file", "big_endian"], "dequantizes": list(able())}
    try:
        if ask["op"] == "exit":
            return {"verdict": "accept"}
        if ask["op"] == "read":
            open(ask["path"], "rb").close()
            return read(ask["path"], ask["stage"])
        return {"write": write, "dequantize": dequantize}[ask["op"]](ask) if ask["op"] in ("write", "dequantize") else \
            {"verdict": "unsupported", "message": "no such operation"}
    except OSError as e:
        return {"verdict": "error", "message": str(e)}
    except Exception as e:  # the package's way to say no: ValueError, KeyError, ...
        return {"verdict": "reject", "message": f"{type(e).__name__}: {e}"}

for line in sys.stdin:
    ask = json.loads(line)
    print(json.dumps({"id": ask["id"], **answer(ask)}), flush=True)
    if ask["op"] == "exit":
        break
