"""Adapter for mlx: load of a .gguf file, which is C behind C++ and Python. It unpacks quantized tensors
into arrays of its own, so that only pairs are told; a value is an array, whose type is told."""
import importlib.metadata, os, struct, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "protocol"))
import mlx.core as mx, protocol


def element(name, v):
    if name in ("float32", "float64"):
        return {"bits": struct.pack(">f" if name == "float32" else ">d", v).hex()}
    return str(v).lower()


def value(v):
    if isinstance(v, str):
        return {"type": "string", "value": v}
    if isinstance(v, list):
        return {"type": "array", "element_type": "string", "values": v}
    name = str(v.dtype).removeprefix("mlx.core.").removesuffix("_")
    if v.ndim:
        return {"type": "array", "element_type": name, "values": [element(name, e) for e in v.tolist()]}
    one = element(name, v.item())
    return {"type": name, **(one if isinstance(one, dict) else {"value": one})}


def read(path, stage):
    arrays, metadata = mx.load(path, format="gguf", return_metadata=True)
    if stage == "data":
        mx.eval(list(arrays.values()))
    return {"verdict": "accept", "metadata": [{"key": key, **value(v)} for key, v in metadata.items()]}


mx.set_default_device(mx.cpu)
protocol.serve({"name": "mlx", "version": importlib.metadata.version("mlx"), "language": "C++", "reads": ["file", "unordered"]}, read)
