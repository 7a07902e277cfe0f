"""An example adapter with planted faults: python3 plant.py FAULT ADAPTER.

A fault is planted in a third of the answers, chosen by the bytes of the request or
the answer, so that the order of requests does not matter. "mixed" plants some fault
in each answer, "typed" in a third, and only those after which a tree is still one of
the type. "late" rejects each input, and writes wrong bytes.
"""
import hashlib
import os
import pathlib
import runpy
import sys

fault, path = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(path).parent))
import protocol  # noqa: E402: of the examples

right = protocol.answer


def leaf(tree, change):
    """Returns the tree with its first text changed."""
    if isinstance(tree, str):
        return change(tree)
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for k, v in items:
        if k == "type":
            continue
        new = leaf(v, change)
        if new != v:
            copy = tree.copy()
            copy[k] = new
            return copy
    return tree


def without_nulls(tree):
    if isinstance(tree, dict):
        return {k: without_nulls(v) for k, v in tree.items() if v is not None}
    return [without_nulls(v) for v in tree] if isinstance(tree, list) else tree


def number(text):
    """Returns another number; another text if it is none."""
    return text[:-1] + str((int(text[-1]) + 1) % 10) if text[-1:].isdigit() else text + "1"


def spelling(text):
    """Spells a float in another way. Other texts become wrong."""
    if text.startswith("nan"):
        return "nan" if text.endswith("0") else "nan:" + text[4:].upper()
    return text + ("0" if "." in text else ".0")


def in_tree(change):
    return lambda a: {"ok": {**a["ok"], "tree": change(a["ok"]["tree"])}} if "tree" in a.get("ok", {}) else a


def in_reject(change):
    return lambda a: {"reject": {**a["reject"], **change(a["reject"])}} if "reject" in a else a


FAULTS = {
    "number": in_tree(lambda t: leaf(t, number)),
    "spelling": in_tree(lambda t: leaf(t, spelling)),
    "null": in_tree(lambda t: leaf(t, lambda _: None)),
    "omit": in_tree(without_nulls),
    "field": in_tree(lambda t: {**t, "other": None} if isinstance(t, dict) else [*t, None] if isinstance(t, list) else {"hex": t}),
    "list": in_tree(lambda t: [t]),
    "hex": in_tree(lambda t: leaf(t, lambda text: {"hex": text.encode().hex().upper()})),
    "upper": in_tree(lambda t: leaf(t, str.upper)),
    "consumed": lambda a: {"ok": {**a["ok"], "consumed": a["ok"]["consumed"] + 1}} if "consumed" in a.get("ok", {}) else a,
    "bytes": lambda a: {"ok": {"hex": a["ok"]["hex"] + "00"}} if "hex" in a.get("ok", {}) else a,
    "class": in_reject(lambda r: {"class": "value" if r["class"] == "truncated" else "truncated"}),
    "offset": in_reject(lambda r: {"offset": r["offset"] + 1} if "offset" in r else {}),
    "no-offset": in_reject(lambda r: {"offset": 0}),
    "refuse": lambda a: {"reject": {"class": "value", "offset": 0}} if "ok" in a else a,
    "skip": lambda a: {"skip": {"reason": "planted"}},
    "error": lambda a: {"error": {"message": "planted"}},
    "crash": lambda a: os._exit(3),
}


TYPED = ["omit", "consumed", "bytes", "class", "offset", "no-offset", "refuse", "skip", "error", "crash"]


def accept(q, a):
    return {"ok": {"tree": None} if q["op"] == "decode" else {"hex": ""}} if "reject" in a else a


def late(a):  # an acceptable answer can come before one that is wrong
    return FAULTS["bytes" if "hex" in a.get("ok", {}) else "refuse"](a)


def answer(q, hello, decode, encode):
    a = right(q, hello, decode, encode)
    source = a.get("ok", {}).get("hex", "") if q["op"] == "encode" else q.get("hex") or pathlib.Path(q.get("file", os.devnull)).read_bytes().hex()
    h = int.from_bytes(hashlib.sha256(f"{q['op']} {q['type']} {source}".encode()).digest()[:4], "big")
    if fault == "late":
        return late(a)
    names = {"mixed": [*FAULTS, "accept"], "typed": TYPED}.get(fault, [fault])
    name = names[h // 3 % len(names)]
    if name == "none" or h % 3 and fault != "mixed" or name == "crash" and h % 5:  # a crash takes long
        return a
    return accept(q, a) if name == "accept" else FAULTS[name](a)


protocol.answer = answer
runpy.run_path(path, run_name="__main__")
