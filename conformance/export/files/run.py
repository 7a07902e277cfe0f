"""Judge an adapter by the files of this folder. README.md describes the options, the results and the exit codes."""
import argparse, collections, itertools, json, pathlib, re, struct, subprocess, sys, tempfile

def load(name): return json.loads(pathlib.Path(__file__).with_name(name + ".json").read_text("utf-8"))[name]
TYPES = {t["type"]: {**t, "models": {m["name"]: m for m in t.get("models", [])}} for t in load("types")}
NUMBER = "-?inf|[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"
FLOATS = {  # by size: the form, the quiet NaN, the code of struct
    "float32": ("nan|nan:(?!.f80{5})[7f]f[89a-f][0-9a-f]{5}|" + NUMBER, "nan:7fc00000", ">f"),
    "float64": ("nan|nan:(?!.ff0{13})[7f]ff[0-9a-f]{13}|" + NUMBER, "nan:7ff8000000000000", ">d")}

def same_float(size, want, got):
    form, quiet, code = FLOATS[size]
    if not re.fullmatch(form, got): return False
    if want == "nan" or got == "nan": return got.startswith("nan") and want in ("nan", quiet)
    return want == got if "n" in want + got else struct.pack(code, float(want)) == struct.pack(code, float(got))

def same(models, part, want, got):  # whether trees are equal; no or an error if got is no tree of the type
    part = models[part["model"]] if "model" in part else part
    if part["kind"] == "text" and want is not None:
        return len({bytes.fromhex(t["hex"] if len(t) == 1 else None) if isinstance(t, dict) else t.encode() for t in (want, got)}) == 1
    if want is None or type(want) is not type(got): return want is got
    if part["kind"] == "object":
        return got.keys() <= want.keys() and all(same(models, f, want[f["name"]], got.get(f["name"])) for f in part.get("fields", []))
    if part["kind"] == "list":
        return len(want) == len(got) and all(same(models, part["elements"], w, g) for w, g in zip(want, got))
    if part["kind"] == "one-of":
        variant = next(v for v in part["variants"] if v["name"] == want["type"])
        return {**got, "value": 0} == {**want, "value": 0} and same(models, variant, want["value"], got["value"])
    return same_float(part["number"], want, got) if part["kind"] == "float" else want == (got.lower() if part["kind"] == "bytes" else got)

def check(t, op, want, answer, size):  # the result of an answer; a failure is called disagrees, or value, if a choice can excuse it; "" is a skip
    ok, rejected, expected, other = answer.get("ok"), answer.get("reject"), want.get("reject"), want.get("other", False)
    if rejected and expected:
        at = rejected.get("offset") if op == "decode" and "from" in expected else None
        inside = at is None or expected["from"] <= at <= expected.get("to", size)
        if inside and rejected["class"] in (expected["classes"] or [rejected["class"]]): return "pass"
    if rejected: return "pass" if other else "disagrees" if rejected["class"] != "unsupported" else "unsupported" if expected else ""
    if not ok or ("tree" if op == "decode" else "hex") not in ok: return "fail"
    if expected: return "acceptable" if expected.get("acceptable") else "disagrees"
    if op != "decode": return "pass" if str(ok["hex"]).lower() == want["hex"] else "value"
    try: right = same(t["models"], t["tree"], want["tree"], ok["tree"])
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError): return "value"
    return "pass" if right != other and (other or ok.get("consumed", size) == size) else "value"

def ask(request):
    global process
    process = process or subprocess.Popen(options.adapter, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        process.stdin.write(json.dumps({"id": next(numbers), **request}).encode() + b"\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())
    except (OSError, ValueError) as e:  # it has ended, or the answer is no JSON: the next request starts another process
        process = process.kill()
        return {"error": {"message": str(e)}}

def judge(v, context, data, tree, decode, encode):  # the result of a case, and the operation that decides it
    if len(data) > 4096: pathlib.Path(folder.name, "input").write_bytes(data)
    source = {"file": folder.name + "/input"} if len(data) > 4096 else {"hex": data.hex()}
    result = "skip"
    for op, want, what in ("decode", decode, source), ("roundtrip", decode and encode, source), ("encode", encode, {"tree": tree}):
        if not want or op not in hello["operations"]: continue
        answer = ask({"op": op, "type": v["type"], "profile": profile, "context": context, **what})
        result = "skip" not in answer and check(TYPES[v["type"]], op, want, answer, len(data)) or result
        if result != "pass": return result, op
    return result, ""

def cases(v, verdict):  # of the vector and its derived cases the end of the id, the result and the operation
    section, data, context = v["sections"][verdict["section"]], bytes.fromhex(v.get("hex", "")), v.get("context", {})
    decode, encode, tree = section.get("decode", {}), section.get("encode", {"hex": v.get("hex")}), section.get("decode", v).get("tree")
    yield "", *judge(v, context, data, tree, decode, None if "reject" in decode else encode)
    for r in recipes.get(v["id"], []):
        at, new, added = r.get("at", 0), bytes.fromhex(r.get("hex", "")), bytes.fromhex(r.get("append", ""))
        new = data[:at] + new + data[at + len(new):] + added
        decode = {"reject": r["reject"]} if "reject" in r else {"tree": tree, "other": r["value"] == "other"}
        encode = {"hex": new.hex()} if r.get("value") == "same" else None
        for n in (n for first, last in r.get("cut", [[len(new)] * 2]) for n in range(first, last + 1)):
            end = "#" + r["case"] + f"-{n}" * ("cut" in r)
            yield end, *judge(v, r.get("context", context), new[:n], tree, decode, encode)

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--profile", choices=["documented", "observed"], help="by default that of the adapter")
parser.add_argument("--run", default="", metavar="PREFIX", help="judge the vectors whose ids begin with PREFIX")
for flag, text in ("--derived", "judge derived cases too"), ("--all", "print all results"): parser.add_argument(flag, action="store_true", help=text)
parser.add_argument("adapter", nargs="+", help="the command, after --")
options, process, folder, numbers, counts = parser.parse_args(), None, tempfile.TemporaryDirectory(), itertools.count(1), collections.Counter()
hello = ask({"op": "hello"}).get("hello") or parser.error("no valid answer to hello")
profile = options.profile or hello.get("profile", "observed")
if profile not in ("documented", "observed") or hello.get("views"): parser.error("exceptions and views need formatgauge")
recipes = {d["vector"]: d["cases"] for d in load("derived") if options.derived and profile in d["profiles"]}
for v in (v for v in load("vectors") if v["id"].startswith(options.run)):
    names, verdict, own = {v["type"], v["type"].split("<")[0]}, v["verdicts"].get(profile), ""
    listed = names & set(hello["types"]) and not names & {s["type"] for s in hello.get("skips", [])}
    for end, result, op in cases(v, verdict) if listed and verdict else [("", "not-applicable" if listed else "skip", "")]:
        choices = verdict and verdict.get("choices") and (result != "value" or end or verdict["open"] != "acceptance")
        if (result, own) == ("unsupported", "skip"): result = own
        elif result in ("disagrees", "unsupported", "value"): result = "acceptable" if own != "pass" and (choices or op != "decode" and verdict.get("writing")) else "fail"
        own, counts[result] = own or result, counts[result] + 1
        if options.all or result in ("fail", "acceptable"): print(result, v["id"] + end, op)
print(profile + ":", ", ".join(f"{counts[r]} {r}" for r in ("pass", "fail", "acceptable", "not-applicable", "skip")))
sys.exit(1 if counts["fail"] else 0 if counts["pass"] else 2)
