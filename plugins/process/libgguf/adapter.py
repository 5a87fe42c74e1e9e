"""Adapter for libgguf: its structural validator gives the verdict, its inspector the contents."""
import importlib.metadata, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "protocol"))
import protocol
from libgguf.inspect import inspect_gguf, validate_gguf


def value(v):
    if v.raw_array_type is None:
        return protocol.spell(v.raw_type, v.value)
    name = protocol.NAMES[v.raw_array_type]
    values = [value(e) if name == "array" else protocol.spell(v.raw_array_type, e) for e in v.value]
    return {"type": "array", "element_type": name, "values": values}


def read(path, stage):
    checked = validate_gguf(path)
    if not checked.ok:
        return {"verdict": "reject", "message": f"{checked.errors[0].code}: {checked.errors[0].message}"}
    file = inspect_gguf(path)
    metadata = [{"key": key, **value(v)} for key, v in file.metadata.items()]
    tensors = []
    for t in file.tensors:
        info = {"name": t.name, "type": t.qtype_value, "dims": [str(d) for d in t.shape], "offset": str(t.offset)}
        if t.nbytes is not None:
            info["size"] = str(t.nbytes)
        tensors.append(info)
    return {"verdict": "accept", "version": file.version, "alignment": file.alignment, "metadata": metadata, "tensors": tensors}


protocol.serve({"name": "libgguf", "version": importlib.metadata.version("libgguf"), "language": "Python", "reads": ["file"]}, read)
