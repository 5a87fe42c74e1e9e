# An adapter for the tests of --process: a mini reader of its own in the mode "good"; the
# other modes have one fault each, most of them on the second file that they read.
import hashlib, json, os, struct, sys, time

SCALARS = ["B", "b", "H", "h", "I", "i", "f", "?", None, None, "Q", "q", "d"]
NAMES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "bool", "string", "array", "uint64", "int64", "float64"]

BLOCKS = {0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36), 10: (256, 84), 11: (256, 110),
          12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292), 16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18),
          21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
          34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36), 41: (128, 18), 42: (64, 18)}  # elements, bytes


class Rejected(Exception):
    pass


class File:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        if n > len(self.data) - self.at:
            raise Rejected("the file ends too early")
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self, code):
        return struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))[0]

    def text(self):
        raw = self.take(self.number("Q"))
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return {"hex": raw.hex()}

    def value(self, kind):
        if kind == 8:
            text = self.text()
            return {"type": "string", **(text if isinstance(text, dict) else {"value": text})}
        if kind == 9:
            element, count = self.number("I"), self.number("Q")
            if element > 12:
                raise Rejected("no such element type")
            if count > len(self.data):
                raise Rejected("an array longer than the file")
            return {"type": "array", "element_type": NAMES[element], "values": [self.value(element) for _ in range(count)]}
        if kind > 12:
            raise Rejected("no such value type")
        raw = self.take(struct.calcsize("<" + SCALARS[kind]))
        value = struct.unpack("<" + SCALARS[kind], raw)[0]
        out = {"type": NAMES[kind], "value": str(value).lower()}
        if mode == "untyped" and kind not in (7,):
            return {"type": "number", "value": str(value)}
        return {**out, "bits": raw[::-1].hex()} if kind in (6, 12) else out


def read(path, stage):
    with open(path, "rb") as f:
        file = File(f.read())
    if file.take(4) != b"GGUF" or file.number("I") != 3:
        raise Rejected("no GGUF file of version 3")
    tensors, pairs = file.number("Q"), file.number("Q")
    if tensors > len(file.data) or pairs > len(file.data):
        raise Rejected("more of them than the file has bytes")
    metadata = [{"key": file.text(), **file.value(file.number("I"))} for _ in range(pairs)]
    alignment = next((int(p["value"]) for p in metadata if p["key"] == "general.alignment"), 32)
    infos = []
    for _ in range(tensors):
        name = file.text()
        dims = [file.number("Q") for _ in range(file.number("I"))]
        infos.append({"name": name, "dims": [str(d) for d in dims], "type": file.number("I"), "offset": str(file.number("Q"))})
    start = (file.at + alignment - 1) // alignment * alignment
    for info in infos:
        elements = 1
        for d in info["dims"]:
            elements *= int(d)
        if info["type"] in BLOCKS:
            at, size = start + int(info["offset"]), elements // BLOCKS[info["type"]][0] * BLOCKS[info["type"]][1]
            info["size"] = str(size)
            if stage == "data":
                info["sha256"] = hashlib.sha256(file.data[at:at + size]).hexdigest()
    answer = {"verdict": "accept", "version": 3, "byte_order": "little", "alignment": alignment, "metadata": metadata, "tensors": infos}
    if mode == "untyped":
        del answer["alignment"]
    if mode == "pairs":
        del answer["tensors"]
    if mode in ("unordered", "reversed"):
        metadata.reverse()
        infos.reverse()
    if mode == "wrong":
        infos[0]["offset"] = "32"
    return answer


def misbehave():
    if mode == "crash":
        os.abort()
    if mode == "quit":
        print("gave up", file=sys.stderr, flush=True)
        os._exit(7)
    if mode == "hang":
        time.sleep(60)
    if mode == "spin":
        while True:
            pass
    if mode == "hoard":
        hoard = [b"x" * (1 << 20) for _ in range(1200)]
        time.sleep(60)
    if mode == "nonsense":
        print("hello?", flush=True)
    if mode == "flood":
        sys.stdout.write("x" * (4 << 20))
        sys.stdout.flush()
    if mode == "late":
        print(json.dumps({"id": -1, "verdict": "accept"}), flush=True)


mode = sys.argv[1]
reads = 0
for line in sys.stdin:
    ask = json.loads(line)
    answer = {"verdict": "unsupported", "message": "no such operation"}
    if ask["op"] == "hello":
        answer = {"protocol": 1, "name": "adapter_test", "version": mode, "reads": ["file", "tensor_bytes"]}
        if mode == "unordered":
            answer["reads"].append(mode)
    elif ask["op"] == "exit":
        answer = {"verdict": "accept"}
    elif ask["op"] == "read":
        reads += 1
        if reads == 2:
            misbehave()
        try:
            answer = read(ask["path"], ask["stage"])
        except Rejected as e:
            answer = {"verdict": "reject", "message": str(e)}
        except OSError as e:
            answer = {"verdict": "error", "message": str(e)}
    print(json.dumps({"id": ask["id"], **answer}), flush=True)
    if ask["op"] == "exit":
        break
