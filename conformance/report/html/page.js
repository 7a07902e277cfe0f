"use strict";
(async () => {
// printable replaces characters that are not printable: text of adapters must not
// change the order of the text around it.
function printable(s) {
  return s.replace(/[^\P{C}\n\t]|[\u2028\u2029]/gu, (c) => [...Array(c.length).keys()].map((i) => "\\u" + c.charCodeAt(i).toString(16).padStart(4, "0")).join(""));
}
const bytes64 = atob(document.getElementById("data").textContent);
const unpacked = new Blob([Uint8Array.from(bytes64, (c) => c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("gzip"));
const data = JSON.parse(await new Response(unpacked).text(), (_, x) => typeof x === "string" ? printable(x) : x);
const { vectors, columns, cases, outcomes } = data;
const PASS = 0, BAD = ["fail", "crash", "timeout", "protocol"];
const byID = new Map(vectors.map((v, i) => [v.id, i]));
const $ = (id) => document.getElementById(id);

// el makes an element: el("p", {class: "x", onclick: f}, "text", child, null).
function el(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes || {})) {
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (v !== null && v !== undefined && v !== false) e.setAttribute(k, v === true ? "" : v);
  }
  e.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== ""));
  return e;
}
const sign = (o) => el("span", { class: "sign " + outcomes[o].name, "aria-hidden": "true" }, outcomes[o].sign);
const columnName = (c) => (oneRun ? "" : columns[c].run + ", ") + columns[c].profile;
const oneRun = new Set(columns.map((c) => c.run)).size < 2;

// Cases that did not pass, by vector.
const casesOf = vectors.map(() => []);
for (const c of cases) casesOf[c.v].push(c);
const words = vectors.map((v) => [v.id, v.type, v.comment, v.source, (v.notes || []).map((n) => n[2]).join(" ")].join(" ").toLowerCase());

// outcomesOf returns the outcomes of a vector in a column (null: in any column), one
// bit per outcome. It includes derived cases that did not pass.
function outcomesOf(v, column) {
  let set = 0;
  columns.forEach((c, i) => {
    if (column !== null && i !== column) return;
    if (c.own[v] !== ".") set |= 1 << +c.own[v];
    else if (c.derived[v]) set |= 1 << PASS;
  });
  for (const c of casesOf[v]) if (column === null || c.c.includes(column)) set |= 1 << c.o;
  return set;
}

/* Filters. They are part of the address, so that a view can be shared. */
const form = $("filters");
let fields = ["q", "family", "type", "clause", "flag", "column"];
let chosen = new Set(); // outcomes

function readAddress() {
  const p = new URLSearchParams(location.hash.slice(1));
  for (const f of fields) {
    const want = p.get(f) || "", input = form.elements[f];
    input.value = want;
    if (input.value !== want) input.value = "";
  }
  chosen = new Set((p.get("outcome") || "").split(",").filter((n) => outcomes.some((o) => o.name === n)));
  return p.get("v");
}

function writeAddress(open) {
  const p = new URLSearchParams();
  for (const f of fields) if (form.elements[f].value) p.set(f, form.elements[f].value);
  if (chosen.size) p.set("outcome", [...chosen].join(","));
  if (open) p.set("v", open);
  const hash = "#" + p.toString().replaceAll("%2F", "/").replaceAll("%2C", ",");
  try { history.replaceState(null, "", hash); } catch { location.hash = hash; }
}

function option(value, text) { return el("option", { value }, text || value); }
function fill() {
  const families = [...new Set(vectors.map((v) => v.id.split("/")[0]))];
  form.elements.family.append(...families.map((f) => option(f)));
  const types = new Map(families.map((f) => [f, new Set()]));
  const flags = new Map(families.map((f) => [f, new Set()]));
  const clauses = new Set();
  for (const v of vectors) {
    types.get(v.id.split("/")[0]).add(v.type);
    v.clauses.forEach((c) => clauses.add(c));
    for (const f of v.flags) if (flags.has(f.split(".")[0])) flags.get(f.split(".")[0]).add(f);
  }
  for (const f of families) {
    form.elements.type.append(el("optgroup", { label: f }, [...types.get(f)].map((t) => option(t, t.slice(f.length + 1)))));
    if (flags.get(f).size) form.elements.flag.append(el("optgroup", { label: f }, [...flags.get(f)].sort().map((t) => option(t, t.slice(f.length + 1)))));
  }
  $("clauses").append(...[...clauses].sort().map((c) => option(c, (data.clauses[c] || "").slice(0, 80))));
  if (columns.length > 1) form.elements.column.append(...columns.map((_, i) => option(String(i), columnName(i))));
  else form.elements.column.closest("label").remove();
  fields = fields.filter((f) => form.elements[f]);
}

// matches applies all filters. The counts per outcome ignore the outcome filter.
function matches() {
  const q = form.elements.q.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const bytes = q.join(""), asBytes = /^([0-9a-f]{2}){2,}$/.test(bytes);
  const value = (f) => (form.elements[f] ? form.elements[f].value : "");
  const clause = value("clause").trim().toUpperCase();
  const column = value("column") === "" ? null : +value("column");
  const counts = outcomes.map(() => 0), out = [];
  let want = 0;
  outcomes.forEach((o, i) => { if (chosen.has(o.name)) want |= 1 << i; });
  vectors.forEach((v, i) => {
    if (value("family") && v.id.split("/")[0] !== value("family")) return;
    if (value("type") && v.type !== value("type")) return;
    if (clause && !v.clauses.some((c) => c === clause || c.startsWith(clause + "-"))) return;
    if (value("flag") && !v.flags.includes(value("flag"))) return;
    if (q.length && !q.every((w) => words[i].includes(w)) && !(asBytes && atByte(v.hex || "", bytes))) return;
    const set = outcomesOf(i, column);
    if (!set) return;
    outcomes.forEach((_, o) => { if (set & (1 << o)) counts[o]++; });
    if (!want || set & want) out.push(i);
  });
  return { out, counts };
}
function atByte(hex, bytes) {
  for (let at = hex.indexOf(bytes); at >= 0; at = hex.indexOf(bytes, at + 1)) if (at % 2 === 0) return true;
  return false;
}

/* The list of vectors. It grows in chunks; the details of a vector are made when it is opened. */
const CHUNK = 120;
let shown = [], done = 0, lastType = "";

function apply(open) {
  const { out, counts } = matches();
  shown = out; done = 0; lastType = "";
  $("list").replaceChildren();
  $("count").textContent = out.length === vectors.length ? `${out.length} vectors` : `${out.length} of ${vectors.length} vectors`;
  if (!out.length) $("list").append(el("p", { class: "none-left" }, "No vector matches."));
  updateOutcomes(counts);
  updateMatrix();
  showMore();
  if (open && byID.has(open)) openVector(byID.get(open));
}

function showMore() {
  const next = shown.slice(done, done + CHUNK), nodes = [];
  for (const i of next) {
    const v = vectors[i];
    if (v.type !== lastType) {
      lastType = v.type;
      const n = shown.filter((k) => vectors[k].type === v.type).length;
      nodes.push(el("h3", {}, v.type, " ", el("span", { class: "n" }, String(n))));
    }
    nodes.push(row(i));
  }
  done += next.length;
  $("list").append(...nodes);
  $("list").querySelectorAll("details.v").forEach((d) => d.classList.toggle("last", !d.nextElementSibling || d.nextElementSibling.tagName === "H3"));
  $("more").hidden = done >= shown.length;
  $("more").textContent = `Show more (${shown.length - done})`;
}

function row(i) {
  const v = vectors[i], name = v.id.split("/").slice(2).join("/");
  const outcomeText = columns.map((c, k) => (c.own[i] === "." ? "" : `${outcomes[+c.own[i]].name} under ${columnName(k)}`)).filter(Boolean).join("; ");
  const derivedBad = casesOf[i].reduce((n, c) => n + (BAD.includes(outcomes[c.o].name) ? c.n || 0 : 0), 0);
  const d = el("details", { class: "v", "data-v": v.id },
    el("summary", {},
      el("span", { class: "signs", title: outcomeText }, columns.map((c) => (c.own[i] === "." ? null : sign(+c.own[i])))),
      el("span", { class: "name" }, name, el("span", { class: "unseen" }, " " + outcomeText),
        derivedBad ? el("span", { class: "extra" }, `+${derivedBad} derived`) : null),
      v.comment ? el("span", { class: "gist" }, v.comment) : null));
  d.addEventListener("toggle", () => {
    if (d.open && d.children.length === 1) d.append(body(i));
    if (d.open) writeAddress(v.id); else if (location.hash.includes("v=")) writeAddress();
  });
  return d;
}

function openVector(i) {
  const at = shown.indexOf(i);
  if (at < 0) return;
  while (done <= at) showMore();
  const d = $("list").querySelector(`details[data-v="${CSS.escape(vectors[i].id)}"]`);
  if (!d.children[1]) d.append(body(i));
  d.open = true;
  d.scrollIntoView({ block: "start", behavior: "instant" });
}

/* One vector. */
function body(i) {
  const v = vectors[i], own = casesOf[i].filter((c) => !c.n), derived = casesOf[i].filter((c) => c.n);
  const passed = Math.max(...columns.map((c) => c.derived[i]));
  const b = el("div", { class: "body" });
  if (v.comment) b.append(el("p", {}, v.comment));
  b.append(el("p", { class: "facts" },
    el("span", {}, "type ", el("code", {}, v.type)),
    v.context ? el("span", {}, "context ", el("code", {}, v.context)) : null,
    v.size >= 0 ? el("span", {}, `${v.size} bytes`) : null,
    v.source ? el("span", {}, "source: " + v.source) : null));
  const marks = [];
  for (const c of own) for (const m of c.marks || []) {
    const text = columns.length > 1 && c.c.length < columns.length ? `${m.text} (${c.c.map(columnName).join("; ")})` : m.text;
    if (!marks.some((o) => o.from === m.from && o.to === m.to && o.text === text)) marks.push({ ...m, text });
  }
  own.forEach((c) => b.append(oneCase(c)));
  const foreign = own.find((c) => c.hex);
  if (v.tree) b.append(block("Value to encode", value(v.tree)));
  else if (v.expect || !foreign) b.append(block("Bytes", hexdump(v.hex || "", v.size, v.notes || [], marks)));
  else b.append(block("Bytes", hexdump(foreign.hex, foreign.size, [], marks)));
  if (passed || derived.length) b.append(derivedCases(v, derived, passed));
  if (v.expect) b.append(block("Expected", el("dl", { class: "verdicts" }, v.expect.map((e) => [
    el("dt", {}, e.profile.split(",").flatMap((s, k) => (k ? [", ", el("wbr"), s] : [s]))),
    el("dd", {}, el("span", { class: "verdict-word" }, e.short), value(e.tree), e.bytes ? el("span", { class: "arrow" }, e.tree ? "encodes to" : "") : null, value(e.bytes))]))));
  if (v.clauses.length) b.append(block("Clauses", el("dl", { class: "says" }, v.clauses.map((c) => [
    el("dt", {}, filterButton("clause", c)), el("dd", {}, data.clauses[c])]))));
  if (v.flags.length) b.append(block("Flags", el("dl", { class: "says" }, v.flags.map((f) => [
    el("dt", {}, filterButton("flag", f)),
    data.flags[f] && data.flags[f][0] ? el("dd", {}, el("span", {}, "documented: "), data.flags[f][0], el("br"), el("span", {}, "observed: "), data.flags[f][1]) : null]))));
  b.append(el("p", { class: "repeat" }, "Judge only this vector: ", el("code", {}, `formatgauge test --run '${v.id}' -- YOUR ADAPTER`)));
  return b;
}

// value formats a short value as code in the line, a longer one as a block, a long
// one folded.
function value(lines) {
  if (!lines) return null;
  if (lines.length === 1 && lines[0].length < 64) return el("code", {}, lines[0]);
  const text = el("pre", { tabindex: "0", role: "group", "aria-label": "Value" }, lines.join("\n"));
  return lines.length > 12 ? el("details", { class: "fold" }, el("summary", {}, `${lines.length} lines`), text) : text;
}

function block(title, content, cls) { return el("div", { class: cls }, el("h4", {}, title), content); }

// filterButton returns a button that filters by a value.
function filterButton(field, value) {
  return el("button", { type: "button", title: `Show all vectors of ${value}`, onclick: () => {
    clear();
    form.elements[field].value = value;
    changed();
    $("vectors").scrollIntoView();
    form.elements[field].focus();
  } }, value);
}

function oneCase(c) {
  const o = outcomes[c.o], bad = BAD.includes(o.name) || ["known", "acceptable"].includes(o.name);
  return el("section", { class: "case " + o.name },
    el("p", { class: "title" }, sign(c.o), el("strong", { class: o.name }, o.name), el("span", { class: "where" }, [...c.c.map(columnName), ...(c.under || [])].join("; "))),
    el("p", { class: "detail" }, bad && c.op ? c.op + ": " : "", c.detail || ""),
    c.context ? el("p", { class: "where" }, c.context) : null,
    c.known ? el("p", { class: "detail" }, "known failure: " + c.known) : null,
    c.acceptable ? el("p", { class: "why" }, c.acceptable) : null,
    c.n && c.size !== undefined ? hexdump(c.hex || "", c.size, vectors[c.v].notes || [], c.marks || []) : null,
    c.pairs && c.pairs.length ? comparison(c.pairs) : null,
    c.side ? el("p", { class: "hint" }, c.side) : null);
}

function derivedCases(v, derived, passed) {
  const d = el("details", { class: "derived", open: derived.some((c) => BAD.includes(outcomes[c.o].name)) },
    el("summary", {}, "Derived cases: " + [passed ? `${passed} passed` : "", ...outcomes.map((o, k) => {
      const n = derived.reduce((sum, c) => sum + (c.o === k ? c.n : 0), 0);
      return n ? `${n} ${o.name}` : "";
    })].filter(Boolean).join(", ")));
  for (const c of derived) {
    const e = oneCase(c);
    e.querySelector(".title strong").after(el("code", {}, c.ids));
    d.append(e);
  }
  return d;
}

// hexdump shows bytes in rows of eight with their annotations, and marks. Of many
// annotations it folds those that are far from any mark.
function hexdump(hex, size, notes, marks) {
  const bytes = hex.match(/../g) || [], t = el("tbody");
  const rows = [];
  let at = 0;
  for (const [offset, length, text] of notes) {
    if (offset !== at || offset >= bytes.length) break;
    rows.push([offset, Math.min(length, bytes.length - offset), text]);
    at = offset + Math.min(length, bytes.length - offset);
  }
  if (at < bytes.length) rows.push([at, bytes.length - at, ""]);
  const pointed = new Set();
  const hits = (from, to) => marks.filter((m) => m.from < to && m.to >= from);
  const near = rows.map(() => rows.length <= MANY);
  rows.forEach(([offset, length], i) => {
    if (i < AROUND || hits(offset, offset + length).some((m) => offset <= m.from)) for (let k = Math.max(0, i - AROUND); k <= i + AROUND && k < rows.length; k++) near[k] = true;
  });
  let folded = [];
  const unfold = () => {
    if (!folded.length) return;
    const all = folded, from = all[0][0], to = all[all.length - 1][0] + all[all.length - 1][1];
    folded = [];
    const fold = el("tr", { class: "note-row" }, el("td", { class: "at" }), el("td", { colspan: "2" }, el("button", { type: "button", class: "unfold", onclick: () => {
      const nodes = all.flatMap((r) => hexRows(bytes, r, hits, new Set(marks)));
      fold.replaceWith(...nodes);
      nodes[0].tabIndex = -1;
      nodes[0].focus();
    } }, `Show ${to - from} more bytes`)));
    t.append(fold);
  };
  rows.forEach((r, i) => {
    if (near[i]) { unfold(); t.append(...hexRows(bytes, r, hits, pointed)); } else folded.push(r);
  });
  unfold();
  if (size > bytes.length) t.append(gap(size - bytes.length));
  const atEnd = marks.filter((m) => !pointed.has(m) && m.from >= size);
  if (!size || atEnd.length) {
    t.append(el("tr", { class: "note-start" }, el("th", { class: "at", scope: "row" }, size.toString(16).padStart(4, "0")),
      el("td", { class: "run-of" }, atEnd.length ? el("mark", { class: atEnd.some((m) => m.bad) ? "bad" : "" }, "  ") : ""),
      el("td", { class: "what cut-out" }, size ? "end of input" : "no bytes")), ...pointers(atEnd, pointed));
  }
  return el("div", { class: "hexbox", tabindex: "0", role: "group", "aria-label": "Annotated bytes" }, el("table", { class: "hex" }, t));
}

// MANY is the number of annotations from which those far from a mark are folded,
// AROUND of those shown before and after a mark.
const MANY = 24, AROUND = 3;

// hexRows returns the rows of one annotation.
function hexRows(bytes, [offset, length, text], hits, pointed) {
  const out = [];
  let skipped = 0;
  for (let a = offset, n = 0; a < offset + length; a += 8, n++) {
    const to = Math.min(a + 8, offset + length);
    const fresh = hits(a, to).filter((m) => !pointed.has(m));
    if (n >= 6 && to < offset + length && !fresh.length) { skipped += to - a; continue; }
    if (skipped) { out.push(gap(skipped)); skipped = 0; }
    out.push(el("tr", { class: n ? "note-row" : "note-start" },
      el("th", { class: "at", scope: "row" }, a.toString(16).padStart(4, "0")),
      el("td", { class: "run-of" }, byteCells(bytes, a, to, hits(a, to))),
      el("td", { class: "what" }, n ? "" : text)), ...pointers(fresh, pointed));
  }
  if (skipped) out.push(gap(skipped));
  return out;
}

function byteCells(bytes, from, to, marks) {
  const out = [];
  for (let i = from; i < to; i++) {
    const m = marks.filter((m) => i >= m.from && i <= m.to);
    out.push(m.length ? el("mark", { class: m.some((x) => x.bad) ? "bad" : "" }, bytes[i]) : bytes[i], i + 1 < to ? " " : "");
  }
  return out;
}

function pointers(marks, pointed) {
  return marks.map((m) => {
    pointed.add(m);
    return el("tr", { class: "note-row" }, el("td", { class: "at" }), el("td", { class: "pointer" + (m.bad ? " bad" : ""), colspan: "2" }, "↑ " + m.text));
  });
}

function gap(n) {
  return el("tr", { class: "note-row" }, el("td", { class: "at" }), el("td", { class: "cut-out", colspan: "2" }, `… ${n} more bytes`));
}

// comparison shows the expected and the actual answer in two columns.
function comparison(pairs) {
  const hasGot = pairs.some((p) => p[1] !== null);
  const t = el("tbody");
  for (const [want, got] of pairs) {
    if (want === null && got === null) { t.append(el("tr", {}, el("td", { class: "gap", colspan: "2" }, "…"))); continue; }
    const [w, g] = want !== null && got !== null && want !== got ? markDifference(want, got) : [[want || ""], [got || ""]];
    t.append(el("tr", { class: want === got ? "" : "unlike" }, el("td", { class: want === null ? "" : "w" }, w), el("td", { class: got === null ? "" : "g" }, g)));
  }
  return el("table", { class: "pairs" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "expected"), el("th", { scope: "col" }, hasGot ? "got" : "no answer"))), t);
}

// markDifference marks the part of two lines that differs.
function markDifference(a, b) {
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const cut = (s) => [s.slice(0, head), s.length - tail > head ? el("mark", {}, s.slice(head, s.length - tail)) : null, s.slice(s.length - tail)];
  return head + tail < 1 ? [[a], [b]] : [cut(a), cut(b)];
}

/* The matrix shows the filters and sets them. */
function updateMatrix() {
  const types = new Set(shown.map((i) => vectors[i].type)), type = form.elements.type.value;
  const column = form.elements.column ? form.elements.column.value : "";
  document.querySelectorAll(".matrix tbody").forEach((t) => {
    let any = false;
    t.querySelectorAll("tr[data-type]").forEach((r) => {
      // The other types stay visible, so that another one can be chosen.
      const on = type ? true : types.has(r.dataset.type);
      r.classList.toggle("off", !on);
      r.classList.toggle("on", r.dataset.type === type);
      any ||= on;
    });
    t.querySelector(".family").classList.toggle("off", !any);
  });
  document.querySelectorAll(".matrix td > button").forEach((b) =>
    b.setAttribute("aria-pressed", String(b.dataset.type === type && (columns.length < 2 || b.dataset.column === column))));
}

function updateOutcomes(counts) {
  const focus = document.activeElement && document.activeElement.dataset.outcome;
  $("outcomes").replaceChildren(...outcomes.map((o, i) => !counts[i] && !chosen.has(o.name) ? null
    : el("button", { type: "button", "data-outcome": o.name, title: o.about, "aria-pressed": String(chosen.has(o.name)), onclick: () => {
      if (!chosen.delete(o.name)) chosen.add(o.name);
      changed();
    } }, sign(i), el("span", {}, o.name), el("span", {}, String(counts[i])))).filter(Boolean));
  if (focus) { const b = $("outcomes").querySelector(`[data-outcome="${focus}"]`); if (b) b.focus(); }
}

function clear() {
  for (const f of fields) form.elements[f].value = "";
  chosen = new Set();
}
function changed() { writeAddress(); apply(); }

document.querySelector(".matrix table").addEventListener("click", (e) => {
  const b = e.target.closest("button");
  if (!b) return;
  const { type, family, column } = b.dataset, pressed = b.getAttribute("aria-pressed") === "true";
  if (form.elements.column) form.elements.column.value = "";
  form.elements.family.value = pressed ? "" : family || type.split(".")[0];
  form.elements.type.value = pressed || !type ? "" : type;
  if (form.elements.column && column !== undefined && !pressed) form.elements.column.value = column;
  changed();
  if (matchMedia("(max-width: 1099px)").matches) $("vectors").scrollIntoView();
});
form.addEventListener("input", (e) => {
  // Clear a type that is not in the chosen family: no vector would match.
  const f = form.elements;
  if (e.target === f.family && f.family.value && !f.type.value.startsWith(f.family.value + ".")) f.type.value = "";
  if (e.target === f.type && f.type.value) f.family.value = f.type.value.split(".")[0];
  changed();
});
form.addEventListener("reset", (e) => { e.preventDefault(); clear(); changed(); form.elements.q.focus(); });
form.addEventListener("submit", (e) => e.preventDefault());
$("more").addEventListener("click", () => {
  const last = $("list").lastElementChild;
  showMore();
  const next = last && last.nextElementSibling;
  if (next) (next.querySelector("summary") || next.nextElementSibling.querySelector("summary")).focus();
});
if ("IntersectionObserver" in window) {
  new IntersectionObserver((seen) => { if (seen.some((s) => s.isIntersecting) && done && done < shown.length) showMore(); }, { rootMargin: "800px" }).observe($("rest"));
}

// Up and down move the focus between vectors; home and end to the first and last one.
$("list").addEventListener("keydown", (e) => {
  if (e.target.tagName !== "SUMMARY" || !e.target.parentElement.matches("details.v") || e.ctrlKey || e.metaKey || e.altKey) return;
  const all = [...$("list").querySelectorAll("details.v > summary")], at = all.indexOf(e.target);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key];
  if (to === undefined || !all[to]) return;
  e.preventDefault();
  all[to].focus();
});
addEventListener("hashchange", () => apply(readAddress()));

fill();
form.hidden = false;
apply(readAddress());
})().catch((e) => {
  document.getElementById("list").textContent = "This browser cannot show the list of vectors: " + e.message + ". Everything above is complete.";
});
