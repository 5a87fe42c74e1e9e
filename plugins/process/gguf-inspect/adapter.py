"""Adapter for gguf-inspect: its parser, and for tensor data its reconciliation of sizes."""
import importlib.metadata, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "protocol"))
import protocol
from gguf_inspect import compute_sizes, parse_gguf, tensor_nbytes


def value(v):
    if v.elem_type is None:
        return protocol.spell(v.type, v.value)
    name = protocol.NAMES[v.elem_type]
    values = [value(e) if name == "array" else protocol.spell(v.elem_type, e) for e in v.value]
    return {"type": "array", "element_type": name, "values": values}


def read(path, stage):
    file = parse_gguf(path)
    checks = compute_sizes(file).checks if stage == "data" else []
    if checks:
        return {"verdict": "reject", "message": checks[0]}
    metadata = [{"key": key, **value(v)} for key, v in file.metadata.items()]
    tensors = []
    for t in file.tensors:
        info = {"name": t.name, "type": int(t.ggml_type), "dims": [str(d) for d in t.dims], "offset": str(t.offset)}
        if tensor_nbytes(t) is not None:
            info["size"] = str(tensor_nbytes(t))
        tensors.append(info)
    return {"verdict": "accept", "version": file.header.version, "alignment": file.alignment, "metadata": metadata, "tensors": tensors}


protocol.serve({"name": "gguf-inspect", "version": importlib.metadata.version("gguf-inspect"), "language": "Python", "reads": ["file"]}, read)
