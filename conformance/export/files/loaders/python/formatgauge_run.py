"""Judges an adapter by the vectors in a folder. It needs formatgauge_vectors.py beside it."""
import argparse, collections, itertools, json, re, subprocess, sys
import formatgauge_vectors as vectors

STATUSES = ("pass", "fail", "acceptable", "skip", "not applicable")

class Adapter:
    """A command that speaks the protocol of Formatgauge. Calling it asks; it starts again after a fault."""
    def __init__(self, command):
        self.command, self.process, self.numbers = command, None, itertools.count(1)
        self.hello = self.ask({"op": "hello"}).get("hello")
    def ask(self, request):
        try:
            self.process = self.process or subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.process.stdin.write(json.dumps({"id": next(self.numbers), **request}).encode() + b"\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        except (OSError, ValueError) as e:  # it has ended, or the answer is no JSON
            self.process = self.process and self.process.kill()
            return {"error": {"message": str(e)}}
    def __call__(self, op, v):
        names = {v.type, v.type.split("<")[0]}
        if names.isdisjoint(self.hello["types"]) or names & {s["type"] for s in self.hello.get("skips", [])}: return "skip", "the type"
        if op not in self.hello["operations"]: return None
        source = {"tree": v.tree} if op == "encode" else {"hex": v.input.hex()}
        a = self.ask({"op": op, "type": v.type, "profile": v.profile, "context": v.context, **source})
        ok, rejected = a.get("ok", {}), a.get("reject")
        if rejected: return "reject", (rejected.get("class"), rejected.get("offset"))
        if op == "decode" and "tree" in ok and ok.get("consumed", len(v.input)) == len(v.input): return "tree", ok["tree"]
        if op != "decode" and re.fullmatch("([0-9A-Fa-f]{2})*", str(ok.get("hex"))): return "hex", bytes.fromhex(ok["hex"])
        return ("skip", a["skip"]["reason"]) if "skip" in a else ("error", a)

def main():
    parser = argparse.ArgumentParser(description="Judge an adapter by the vectors in a folder.")
    parser.add_argument("--profile", choices=["documented", "observed"], help="by default that of the adapter")
    parser.add_argument("--run", action="append", metavar="PATTERN", help="only vectors whose id, type or family matches (repeatable)")
    parser.add_argument("--fail-acceptable", action="store_true", help="count acceptable answers as failures")
    parser.add_argument("--all", action="store_true", help="print all results")
    parser.add_argument("folder")
    parser.add_argument("adapter", nargs="+", help="the command, after --")
    options = parser.parse_args()
    adapter, counts = Adapter(options.adapter), collections.Counter()
    hello = adapter.hello or {}
    if not {"types", "operations"} <= hello.keys(): parser.error("no valid answer to hello")
    profile = options.profile or hello.get("profile", "observed")
    if profile not in ("documented", "observed") or hello.get("views"): parser.error("exceptions and views need formatgauge")
    try: chosen = list(vectors.load(options.folder, options.run or ("*",), profile))
    except (OSError, ValueError) as e: parser.error(str(e))
    for v in chosen:
        result, text = v.run(adapter) if v.result or adapter("", v) is None else ("skip", "")
        if result == "acceptable" and options.fail_acceptable: result = "fail"
        counts[result] += 1
        if result == "fail" or options.all: print(f"{result.upper()} {v.id}\n{text}" if result == "fail" else f"{result}  {v.id}")
    print(profile + ":", ", ".join(f"{counts[s]} {s}" for s in STATUSES))
    sys.exit(1 if counts["fail"] else 0 if counts["pass"] else 2)

if __name__ == "__main__":
    main()
