"""An example: tests of a reader of upkg.CompactIndex, for pytest and for unittest."""
import os, pathlib
import formatgauge_vectors

class Reject(ValueError):
    def __init__(self, kind, offset=None):
        super().__init__(kind)
        self.kind, self.offset = kind, offset

class Reader:
    """FORMATGAUGE_PLANT=sign plants a fault: the sign is ignored."""
    rejects = Reject

    def decode(self, name, data, context):
        if not data: raise Reject("truncated", 0)
        value, shift, used, more = data[0] & 0x3F, 6, 1, data[0] & 0x40
        while more and used < 5:
            if used == len(data): raise Reject("truncated", 0)
            value, more = value | (data[used] & 0x7F) << shift, data[used] & 0x80
            shift, used = shift + 7, used + 1
        if used < len(data): raise Reject("trailing", used)
        if data[0] & 0x80 and not os.environ.get("FORMATGAUGE_PLANT"): value = -value
        return str((value + 2**31) % 2**32 - 2**31)

    def encode(self, name, tree, context):
        value = int(tree)
        if not -2**31 <= value < 2**31: raise Reject("range")
        rest = abs(value)
        out, rest = [rest & 0x3F | (value < 0) << 7 | (rest > 0x3F) << 6], rest >> 6
        while rest: out, rest = out + [rest & 0x7F | (rest > 0x7F) << 7], rest >> 7
        return bytes(out)

folder = os.environ.get("FORMATGAUGE_JSON") or pathlib.Path(__file__).parents[2] / "json"
TestIndex = formatgauge_vectors.testcase(Reader(), formatgauge_vectors.load(folder, "upkg.CompactIndex"))
