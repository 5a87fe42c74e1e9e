"""Adapter for tinygrad: gguf_load, which gives pairs without their types, and tensors decoded; only
pairs are told. It auto-merges shards."""
import importlib.metadata, os, sys

os.environ["DEV"] = "PYTHON"  # the device that needs no compiler
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "protocol"))
import protocol
from tinygrad.llm.gguf import gguf_load


def value(v):
    if isinstance(v, (list, tuple)):
        return {"type": "array", "values": [value(e) for e in v]}
    if isinstance(v, str):
        return {"type": "string", "value": v}
    return {"type": "bool" if isinstance(v, bool) else "number", "value": str(v).lower()}


def read(path, stage):
    metadata, _ = gguf_load(path)
    return {"verdict": "accept", "metadata": [{"key": key, **value(v)} for key, v in metadata.items()]}


protocol.serve({"name": "tinygrad", "version": importlib.metadata.version("tinygrad"), "language": "Python", "reads": ["file"]}, read)
