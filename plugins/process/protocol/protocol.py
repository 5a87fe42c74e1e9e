"""Speaks the protocol of ../README.md, for adapters in Python."""
import json, struct, sys

# Value types by their ids in the file.
NAMES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "bool", "string", "array", "uint64", "int64", "float64"]


def spell(kind, value):
    """A Python value of a type that the implementation tells by its id; arrays are for the adapter."""
    name = NAMES[kind]
    if name in ("float32", "float64"):
        return {"type": name, "bits": struct.pack(">f" if name == "float32" else ">d", value).hex()}
    return {"type": name, "value": value if name == "string" else str(value).lower()}


def serve(hello, read):
    """Answers until it is asked to exit. `read` takes path and stage and returns an answer, or raises
    what the implementation raises: a reject; a crash of the interpreter is left to be one."""
    for line in sys.stdin:
        ask = json.loads(line)
        if ask["op"] == "hello":
            answer = {"protocol": 1, **hello}
        elif ask["op"] == "exit":
            answer = {"verdict": "accept"}
        elif ask["op"] == "read":
            answer = attempt(read, ask["path"], ask["stage"])
        else:
            answer = {"verdict": "unsupported", "message": "no such operation"}
        print(json.dumps({"id": ask["id"], **answer}), flush=True)
        if ask["op"] == "exit":
            break


def attempt(read, path, stage):
    try:
        open(path, "rb").close()
    except OSError as e:
        return {"verdict": "error", "message": str(e)}
    try:
        return read(path, stage)
    except Exception as e:
        return {"verdict": "reject", "message": f"{type(e).__name__}: {e}"}
