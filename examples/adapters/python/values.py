"""Code for all families: a reader of bytes, and the forms of values in trees."""
import math
import re
import struct
from fractions import Fraction

from protocol import Reject


class Reader:
    """Reads bytes in order and rejects truncated input."""

    def __init__(self, data, order="little"):
        self.data, self.order, self.pos, self.end = data, order, 0, len(data)

    def remaining(self):
        return self.end - self.pos

    def require(self, size, at):
        """Rejects the input at offset at if fewer than size bytes remain."""
        if size > self.remaining():
            raise Reject("truncated", at, f"expected {size} bytes, {self.remaining()} remain")

    def take(self, size, at=None):
        """The next bytes. at is the offset of a rejection, by default the position."""
        self.require(size, self.pos if at is None else at)
        self.pos += size
        return self.data[self.pos - size:self.pos]

    def number(self, size, signed=False):
        return int.from_bytes(self.take(size), self.order, signed=signed)

    def array(self, count, least, at, read_element):
        """count elements of at least least bytes each; at is the offset of the count."""
        self.require(count * least, at)
        return [read_element() for _ in range(count)]

    def finish(self, value):
        """Returns value if no bytes remain."""
        if self.remaining():
            raise Reject("trailing", self.pos, f"{self.remaining()} trailing bytes")
        return value


def number(value, size, order="little", signed=False):
    """The bytes of an integer, given as an int or as a tree."""
    try:
        return int(value).to_bytes(size, order, signed=signed)
    except OverflowError as e:
        raise Reject("range", message=str(e)) from e


# Text in trees is a string, or {"hex": ...} if it is not valid UTF-8.

def text_tree(data):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"hex": data.hex()}


def text_bytes(tree):
    return tree.encode("utf-8") if isinstance(tree, str) else bytes.fromhex(tree["hex"])


# UTF-16 is stored as WTF-8: UTF-8 with three bytes for an unpaired surrogate.

def wtf8(units, order="little"):
    return units.decode(f"utf-16-{order[0]}e", "surrogatepass").encode("utf-8", "surrogatepass")


def characters(text):
    """The characters of WTF-8. Each surrogate is a character, even in a pair."""
    try:
        return text.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as e:
        raise Reject("range", message=str(e)) from e


def read_utf32(r, count):
    """count characters of four bytes, as WTF-8. Surrogates are not combined."""
    text = []
    for _ in range(count):
        unit = r.number(4)
        if unit > 0x10FFFF:
            raise Reject("value", r.pos - 4, f"character {unit:x} does not exist")
        text.append(chr(unit))
    return "".join(text).encode("utf-8", "surrogatepass")


def utf16(text, order="little"):
    s = characters(text)
    if re.search("[\ud800-\udbff][\udc00-\udfff]", s):
        raise Reject("range", message="a surrogate pair is encoded as two characters")
    return s.encode(f"utf-16-{order[0]}e", "surrogatepass")


# Floats are kept as bits, because a conversion to float may make a signalling NaN
# quiet.

def from_bits32(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def to_bits32(x):
    """The bits of the binary32 nearest to a float; infinity if it is too great."""
    try:
        return struct.unpack("<I", struct.pack("<f", x))[0]
    except OverflowError:
        return 0x7F800000 if x > 0 else 0xFF800000


def float_tree(bits, size=4):
    x = from_bits32(bits) if size == 4 else struct.unpack("<d", struct.pack("<Q", bits))[0]
    if math.isnan(x):
        return f"nan:{bits:0{2 * size}x}"
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    if size == 4:  # the shortest decimal that restores the bits
        x = next(d for d in (float(f"{x:.{n}g}") for n in range(1, 10)) if float_bits(repr(d)) == bits)
    return repr(x).removesuffix(".0")


def float_bits(tree, size=4):
    if tree.startswith("nan"):
        return int(tree[4:] or ("7fc00000" if size == 4 else "7ff8000000000000"), 16)
    x = float(tree)
    if size == 8:
        return struct.unpack("<Q", struct.pack("<d", x))[0]
    if not math.isinf(x) and Fraction(tree) != x:
        # Rounding twice can give a wrong result at a midpoint. Rounding an
        # inexact value to an odd last bit first avoids this.
        if not struct.pack("<d", x)[0] & 1:
            x = math.nextafter(x, math.inf if Fraction(tree) > x else -math.inf)
    return to_bits32(x)


# A fixed layout is "u4", "i8", "f4" (kind and number of bytes), a dict of fields,
# or a list.

def fixed_size(layout):
    if isinstance(layout, str):
        return int(layout[1])
    return sum(map(fixed_size, layout.values() if isinstance(layout, dict) else layout))


def read_fixed(layout, r):
    if isinstance(layout, dict):
        return {name: read_fixed(part, r) for name, part in layout.items()}
    if isinstance(layout, list):
        return [read_fixed(part, r) for part in layout]
    kind, size = layout[0], int(layout[1])
    return float_tree(r.number(size), size) if kind == "f" else str(r.number(size, kind == "i"))


def write_fixed(layout, tree, order="little"):
    if isinstance(layout, dict):
        return b"".join(write_fixed(part, tree[name], order) for name, part in layout.items())
    if isinstance(layout, list):
        return b"".join(write_fixed(part, item, order) for part, item in zip(layout, tree, strict=True))
    kind, size = layout[0], int(layout[1])
    return number(float_bits(tree, size) if kind == "f" else tree, size, order, kind == "i")
