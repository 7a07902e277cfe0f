"""Vectors of Formatgauge as tests of pytest or unittest. docs/native-tests.md says how to use it."""
import functools, json, pathlib, re, struct, unittest

__unittest = True  # tracebacks of unittest leave out this file
FORMAT = 1  # of the files that this loader knows
NUMBER = "-?inf|[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"
FLOATS = {  # by size: the form, the quiet NaN, the code of struct
    "float32": ("nan|nan:(?!.f80{5})[7f]f[89a-f][0-9a-f]{5}|" + NUMBER, "nan:7fc00000", ">f"),
    "float64": ("nan|nan:(?!.ff0{13})[7f]ff[0-9a-f]{13}|" + NUMBER, "nan:7ff8000000000000", ">d")}

def unhex(text): return bytes.fromhex(re.sub(r"\((\w+)\*(\d+)\)", lambda m: m[1] * int(m[2]), text))

def expand(tree):  # a tree without repeats
    if isinstance(tree, dict):
        return tree["text"] * int(tree["repeat"]) if tree.keys() == {"repeat", "text"} else {k: expand(v) for k, v in tree.items()}
    if not isinstance(tree, list): return tree
    again = lambda v: isinstance(v, dict) and v.keys() == {"repeat", "item"}  # noqa: E731
    return [w for v in tree for w in ([expand(v["item"])] * int(v["repeat"]) if again(v) else [expand(v)])]

def same_float(size, want, got):
    form, quiet, code = FLOATS[size]
    if not re.fullmatch(form, got): return False
    if want == "nan" or got == "nan": return got.startswith("nan") and want in ("nan", quiet)
    return want == got if "n" in want + got else struct.pack(code, float(want)) == struct.pack(code, float(got))

def equal(models, part, want, got, like="tree"):  # whether trees are equal; no or an error if got is no tree of the type
    part = models[part["model"]] if "model" in part else part
    if part["kind"] == "text" and want is not None:
        a, b = (bytes.fromhex(t["hex"] if len(t) == 1 else None) if isinstance(t, dict) else t.encode() for t in (want, got))
        return a == b or like == "text" and not a.isascii()
    if want is None or type(want) is not type(got): return want is got
    if part["kind"] == "object":
        return got.keys() <= want.keys() and all(equal(models, f, want[f["name"]], got.get(f["name"]), like) for f in part.get("fields", []))
    if part["kind"] == "list":
        return len(want) == len(got) and all(equal(models, part["elements"], w, g, like) for w, g in zip(want, got))
    if part["kind"] == "one-of":
        variant = next(v for v in part["variants"] if v["name"] == want["type"])
        return {**got, "value": 0} == {**want, "value": 0} and equal(models, variant, want["value"], got["value"], like)
    if part["kind"] == "integer" and like == "sign" and want != got: return abs(int(want) - int(got)) == 1 << 32
    return same_float(part["number"], want, re.sub("nan:.*", lambda m: m[0].lower(), got)) if part["kind"] == "float" else want == (got.lower() if part["kind"] == "bytes" else got)

class Vector:
    """A vector under a profile: one test. str() is its id."""
    def __init__(self, file, data, profile):
        self.file, self.data, self.profile, self.id, self.type = file, data, profile, data["id"], file["type"]
        self.context = {**file.get("context", {}), **data.get("context", {})}
        self.result = next((r for r in data.get("results", []) if profile in r["profiles"]), None)
        self.input = unhex(data.get("hex", ""))
        self.models = {m["name"]: m for m in file.get("models", [])}
    def __str__(self): return self.id
    @functools.cached_property
    def tree(self): return expand(self.result.get("tree"))
    def judge(self, op, answer):
        """The result of an answer: a pair (kind, value) with the kind tree, hex, reject (class, offset), skip or error."""
        kind, value = answer
        if kind == "skip" or kind == "reject" and value[0] == "unsupported" and "reject" not in self.result[op][0]: return "skip"
        for a in self.result[op]:
            if "reject" in a and kind == "reject":
                inside = "from" not in a or value[1] is None or a["from"] <= value[1] <= a["to"]
                if inside and (not a["reject"] or value[0] in a["reject"] or not value[0]): return a["result"]
            elif kind == "tree" and "like" in a:
                try: right = a["like"] == "any" or equal(self.models, self.file["tree"], self.tree, value, a["like"])
                except (AttributeError, KeyError, OverflowError, StopIteration, TypeError, ValueError): right = False
                if right: return a["result"]
            elif kind == "hex" and ("hex" in a or "like" in a):
                if a.get("like") == "any" or value == (self.input if "like" in a else unhex(a["hex"])): return a["result"]
        return "fail"
    def run(self, ask):
        """The result, and what to print of it. ask(op, vector) returns an answer; None if it lacks the operation."""
        if not self.result: return "not applicable", ""
        first, acceptable = True, None
        for op in (op for op in ("decode", "roundtrip", "encode") if op in self.result):
            answer = ask(op, self)
            result = answer and self.judge(op, answer)
            if result == "acceptable": acceptable = acceptable or (result, self.explain(op, answer))
            elif result == "skip" and first: return result, json.dumps(answer)
            elif result == "fail": return result, self.explain(op, answer)
            first = first and not answer
        return acceptable or (("skip", "no operation that the vector needs") if first else ("pass", ""))
    def explain(self, op, answer):
        text = [f"{self.id}: {op} under {self.profile}", self.data["comment"], "expected: " + json.dumps(self.result[op])]
        text += ["value:    " + json.dumps(self.tree)] if self.tree is not None else []
        text += [f"got:      {answer[0]} " + (answer[1].hex() if answer[0] == "hex" else json.dumps(answer[1]))]
        return "\n".join(text + [f"  {at:04x}  {self.input[at:end].hex(' '):<24}  {note}" for at, end, note in self.data.get("spans", [])])
    def check(self, reader):
        """Tests a reader: decode(type, data, context) -> tree, encode(type, tree, context) -> bytes, and exceptions in rejects."""
        result, text = self.run(lambda op, v: call(reader, op, v))
        if result in ("skip", "not applicable"): raise unittest.SkipTest(text or result)
        assert result != "fail", text

def call(reader, op, v):
    try:
        if op != "decode" and not hasattr(reader, "encode"): return None
        if op == "encode": return "hex", reader.encode(v.type, v.tree, v.context)
        tree = reader.decode(v.type, v.input, v.context)
        return ("tree", tree) if op == "decode" else ("hex", reader.encode(v.type, tree, v.context))
    except getattr(reader, "rejects", ValueError) as e: return "reject", (getattr(e, "kind", None), getattr(e, "offset", None))

def load(folder, run=("*",), profile="observed"):
    """The vectors in a folder json whose id, folder, type or family matches one of the patterns."""
    form = re.compile("|".join(re.escape(p).replace(r"\*", "[^/]*").replace(r"\?", "[^/]") for p in ([run] if isinstance(run, str) else run)))
    found = False
    for entry in read(folder, "index.json")["types"]:
        names, data = (entry["type"], entry["type"].split(".")[0]), None
        if any(map(form.fullmatch, names)) or "/" in form.pattern or "?" in form.pattern:
            for v in (file := read(folder, entry["file"]))["vectors"]:
                if any(map(form.fullmatch, (v["id"], v["id"].rpartition("/")[0], *names))):
                    found = True
                    yield Vector(file, v, profile)
    if not found or profile not in ("observed", "documented"): raise ValueError(f"no vector of {run} under {profile}")

def read(folder, name):
    data = json.loads(pathlib.Path(folder, name).read_text("utf-8"))
    if data["format"] != FORMAT: raise ValueError(f"{name} has format {data['format']}; this loader knows {FORMAT}: take a newer one")
    return data

def testcase(reader, vectors):
    """A class for unittest with a test for each vector."""
    return type("Vectors", (unittest.TestCase,), {f"test_{v}": lambda self, v=v: v.check(reader) for v in vectors})
