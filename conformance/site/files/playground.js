"use strict";
// The playground. A worker runs the module; this script draws what is seen of its
// answers. Text of files is only ever set as text.
(() => {
  const $ = (id) => document.getElementById(id);
  const root = document.body.dataset.root, base = root + "playground/";
  const make = (name, classes, text) => {
    const e = document.createElement(name);
    if (classes) e.className = classes;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const button = (text, act) => {
    const b = make("button", "", text);
    b.type = "button";
    b.addEventListener("click", act);
    return b;
  };
  // say shows a message beside what it speaks of. The state is in sight wherever the page is
  // scrolled; an error there stays until something is opened.
  const say = (text, where = "state") => { $(where).textContent = text; if (where === "state") $(where).classList.remove("bad"); };
  const progress = (text) => { if (!$("state").classList.contains("bad")) say(text); };
  const wrong = (text, where = "state") => { say(text, where); if (where === "state") $(where).classList.add("bad"); };
  // printable replaces characters that change the order of the text around them.
  const printable = (s) => s.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));
  const count = (n, noun) => n.toLocaleString("en") + " " + noun + (n === 1 ? "" : "s");
  const hexed = (offset) => (offset > 9 ? " (0x" + offset.toString(16) + ")" : ""), at = (offset) => "byte " + offset + hexed(offset);

  const mostBytes = 64 << 20, longestLink = 2000, undoBytes = 64 << 20;

  if (location.protocol === "file:") {
    $("play").hidden = document.querySelector("#first > p").hidden = true;
    wrong("The playground needs a web server, because a browser starts no workers from a folder. Any static server will do, such as python3 -m http.server in the folder of the site.");
    return;
  }

  const load = async (path) => {
    const r = await fetch(base + path);
    if (!r.ok) throw new Error(path + " cannot be loaded: " + r.status);
    return r;
  };

  // The worker. Its memory never shrinks: after a large file another one takes its place.
  const waiting = new Map(), mostMemory = 64 << 20;
  let worker, last = 0, ready, running = false, memory = 0;
  // compiled loads the module, once. Some servers unpack files before they send them.
  const compiled = async () => {
    const r = await load("module.bin"), all = Number(r.headers.get("Content-Length")), chunks = [];
    let n = 0;
    for (const from = r.body.getReader();;) {
      const {done, value} = await from.read();
      if (done) break;
      chunks.push(value);
      n += value.length;
      if (!running) progress("Loading the reference: " + (all > 0 && n <= all ? Math.round(100 * n / all) + " %" : Math.round(n / 1024) + " KB") + ". Files can be chosen already.");
    }
    const blob = new Blob(chunks), head = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
    return WebAssembly.compile(await (head[0] === 0x1f && head[1] === 0x8b ? new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))) : blob).arrayBuffer());
  };
  let module;
  const start = () => {
    memory = 0;
    ready = module.then((compiled) => new Promise((resolve) => {
      worker = new Worker(base + "worker.js");
      worker.onmessage = ({data}) => {
        if (data.ready) { running = true; return resolve(); }
        if (data.fatal) return stop(data.fatal);
        const {done, failed} = waiting.get(data.id);
        waiting.delete(data.id);
        if (data.memory) document.body.dataset.memory = memory = data.memory;
        if (data.error !== undefined) failed(new Error(data.error));
        else done({answer: JSON.parse(data.answer), bytes: data.bytes});
      };
      worker.onerror = (e) => stop(e.message || "the worker cannot be loaded");
      worker.postMessage({module: compiled});
    }));
    ready.catch(() => {});
  };
  const end = (why) => {
    if (worker) worker.terminate();
    for (const {failed} of waiting.values()) failed(new Error(why));
    waiting.clear();
  };
  const stop = (why) => {
    end("The reference has stopped: " + why);
    if (!running) return wrong("The reference cannot be loaded: " + printable(why) + ".");
    wrong("The reference has stopped: " + printable(why) + ". Open the file again, or another one.");
    running = false;
    start();
  };
  // All fields of a request; numbers are strings.
  const request = {node: [], path: "", from: "0", count: "0", text: "", row: "0", mip: "0", channel: "", name: ""};
  const ask = async (op, args, bytes) => {
    await ready;
    return new Promise((done, failed) => {
      const id = ++last;
      waiting.set(id, {done, failed});
      const input = {type: now.type, profile: [now.base, ...Object.entries(now.sides).map(([f, s]) => f + "=" + s)].join(","), context: now.context};
      if (bytes && bytes.length < bytes.buffer.byteLength) bytes = bytes.slice(); // a view would take the whole file along
      worker.postMessage({id, request: JSON.stringify({op, input, ...request, ...args}), bytes});
    });
  };
  const strings = (list) => list.map(String);

  // What is open.
  const now = {name: "", bytes: new Uint8Array(), type: "", base: "observed", sides: {}, context: [], opened: null, types: [], starts: [], ends: [], changed: [], undo: [], ranges: [], cursor: 0, hover: [], node: null};
  let records, known;

  // A list of rows of one height, of which only those in sight exist. A browser limits
  // the height of an element, so a long list scrolls by more than a row at a time.
  const mostHeight = 8_000_000;
  class Rows {
    constructor(view, draw) {
      Object.assign(this, {view, draw, total: 0, height: 22, pending: false});
      this.space = make("div", "space");
      this.rows = make("div", "rows");
      for (const e of [this.space, this.rows]) e.setAttribute("role", "presentation");
      view.append(this.space);
      this.space.append(this.rows);
      view.addEventListener("scroll", () => this.later());
      new ResizeObserver(() => this.later()).observe(view);
    }
    get most() { return innerWidth > 1080 ? 462 : innerWidth > 700 ? 330 : 286; }
    get seen() { return Math.max(1, Math.floor(this.view.clientHeight / this.height)); }
    get long() { return this.total * this.height > mostHeight; }
    get first() {
      const {scrollTop, clientHeight} = this.view;
      if (!this.long) return Math.floor(scrollTop / this.height);
      return Math.round(scrollTop / (mostHeight - clientHeight) * (this.total - this.seen));
    }
    later() {
      if (this.pending) return;
      this.pending = true;
      requestAnimationFrame(() => { this.pending = false; this.show(); });
    }
    show(total = this.total) {
      if (total !== this.total) {
        this.total = total;
        this.view.style.height = Math.min(this.most, Math.max(3, total + 1) * this.height) + "px";
        this.space.style.height = Math.min(total * this.height, mostHeight) + "px";
      }
      const first = Math.max(0, Math.min(this.first, this.total - 1)), n = Math.min(this.seen + 2, this.total - first);
      this.rows.style.transform = "translateY(" + (this.long ? Math.min(this.view.scrollTop, mostHeight - n * this.height) : first * this.height) + "px)";
      const out = [];
      for (let i = first; i < first + n; i++) out.push(this.draw(i));
      this.rows.replaceChildren(...out);
    }
    reveal(i) {
      const first = this.first;
      if (i < first || i >= first + this.seen) {
        const top = Math.max(0, Math.min(i - Math.floor(this.seen / 3), this.total - this.seen));
        this.view.scrollTop = this.long ? top / (this.total - this.seen) * (mostHeight - this.view.clientHeight) : top * this.height;
      }
      this.show();
    }
  }

  // The bytes.
  const digits = Array.from({length: 256}, (_, i) => i.toString(16).padStart(2, "0"));
  let perRow = 16;
  const spanAt = (offset) => {
    let low = 0, high = now.starts.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (now.starts[mid] <= offset) low = mid + 1; else high = mid;
    }
    return low > 0 && now.ends[low - 1] > offset ? low - 1 : -1;
  };
  const within = (ranges, offset) => {
    let low = 0, high = ranges.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (ranges[mid][0] <= offset) low = mid + 1; else high = mid;
    }
    return low > 0 && ranges[low - 1][1] > offset;
  };
  const bytesView = $("bytes");
  const hexRows = new Rows(bytesView, (i) => {
    const row = make("div", "row"), from = i * perRow, to = Math.min(from + perRow, now.bytes.length);
    row.append(make("span", "at", from.toString(16).padStart(8, "0")));
    const fault = now.opened.error && !isOther() ? Number(now.opened.error.offset) : -1;
    let text = "";
    for (let o = from; o < from + perRow; o++) {
      const b = make("span", "b", o < to ? digits[now.bytes[o]] : o === fault && o === now.bytes.length ? "··" : "  ");
      if (o < to || o === fault) {
        const s = spanAt(o);
        let c = s < 0 ? "none" : s % 2 ? "odd" : "";
        if (within(now.changed, o)) c += " new";
        if (within(now.ranges, o)) c += " on";
        if (within(now.hover, o)) c += " hover";
        if (o === fault) c += " bad";
        if (o === now.cursor) c += " cursor";
        b.className = "b " + c;
        b.dataset.o = o;
      }
      row.append(b);
      if (o < to) text += now.bytes[o] >= 0x20 && now.bytes[o] < 0x7f ? String.fromCharCode(now.bytes[o]) : ".";
    }
    row.append(make("span", "c", " " + text));
    return row;
  });
  const fit = () => {
    const wanted = bytesView.parentElement.clientWidth < 560 ? 8 : 16;
    if (wanted !== perRow) { perRow = wanted; if (now.opened) drawBytes(); }
  };
  const drawBytes = () => hexRows.show(Math.ceil((now.bytes.length + (now.opened.error ? 1 : 0)) / perRow) || 1);
  new ResizeObserver(fit).observe(bytesView.parentElement);
  const offsetOf = (e) => (e.target.dataset && e.target.dataset.o !== undefined ? Number(e.target.dataset.o) : -1);
  bytesView.addEventListener("mouseover", (e) => {
    const o = offsetOf(e), s = o < 0 ? -1 : spanAt(o);
    pointAt(s < 0 ? [] : [[now.starts[s], now.ends[s]]], "", async (still) => {
      if (s < 0) return;
      const {answer: [span]} = await ask("spans", {from: String(s), count: "1"}), {answer: node} = tree ? await ask("locate", {path: span.path}) : {};
      if (!still()) return;
      bytesView.title = span.path + " = " + span.value + (span.clause ? "  [" + span.clause + "]" : "");
      if (node) pointed(node.join("-"));
    });
  });
  for (const id of ["bytes", "tree"]) $(id).addEventListener("mouseleave", () => pointAt([], "", async () => {}));
  // pointAt marks what the mouse is over, in both views; more says what takes time.
  let pointing = 0;
  const pointed = (id) => {
    now.pointed = id;
    for (const e of document.querySelectorAll("#tree .hover")) e.classList.remove("hover");
    if (id !== undefined && $("node-" + id)) $("node-" + id).classList.add("hover");
  };
  const pointAt = (ranges, id, more) => {
    const mine = ++pointing;
    bytesView.title = "";
    pointed(id || undefined);
    if (String(ranges) !== String(now.hover)) { now.hover = ranges; hexRows.later(); }
    setTimeout(() => { if (mine === pointing) more(() => mine === pointing).catch(() => {}); }, 40);
  };
  bytesView.addEventListener("click", (e) => { const o = offsetOf(e); if (o >= 0) select(o); });
  bytesView.addEventListener("keydown", (e) => {
    const page = perRow * hexRows.seen, end = now.bytes.length - 1;
    const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -perRow, ArrowDown: perRow, PageUp: -page, PageDown: page}[e.key];
    let to = step ? now.cursor + step : e.key === "Home" ? (e.ctrlKey ? 0 : now.cursor - now.cursor % perRow) : e.key === "End" ? (e.ctrlKey ? end : now.cursor - now.cursor % perRow + perRow - 1) : -1;
    if (e.key === "Enter") { e.preventDefault(); treeView.focus(); return; }
    if (!step && to < 0) return;
    e.preventDefault();
    select(Math.max(0, Math.min(to, end)));
  });

  // The value. A node keeps the pages of its children that were seen, and those of its
  // children that are open.
  const perPage = 256;
  const nodeOf = (path, row) => ({path, row, count: Number(row.count), open: false, pages: new Map(), kids: new Map()});
  let tree = null;
  const openKids = (n) => [...n.kids.values()].filter((k) => k.open).sort((a, b) => a.path.at(-1) - b.path.at(-1));
  const sizeOf = (n) => (n.open ? n.count + openKids(n).reduce((sum, k) => sum + sizeOf(k), 0) : 0);
  const rowIn = (n, k, depth) => {
    let from = 0;
    for (const kid of openKids(n)) {
      const before = kid.path.at(-1) + 1 - from;
      if (k < before) break;
      k -= before;
      const inside = sizeOf(kid);
      if (k < inside) return rowIn(kid, k, depth + 1);
      k -= inside;
      from = kid.path.at(-1) + 1;
    }
    return {parent: n, index: from + k, depth};
  };
  const rowOfPath = (path) => {
    let n = tree, row = 0;
    for (const index of path) {
      row += 1 + index;
      for (const kid of openKids(n)) if (kid.path.at(-1) < index) row += sizeOf(kid);
      n = n.kids.get(index);
      if (!n) break;
    }
    return row;
  };
  const dataOf = (parent, index) => {
    const page = Math.floor(index / perPage), rows = parent.pages.get(page);
    if (Array.isArray(rows)) return rows[index % perPage];
    if (!rows) loadPage(parent, page).catch((e) => say(e.message, "tool-note"));
    return null;
  };
  const loadPage = (parent, page) => {
    const rows = parent.pages.get(page);
    if (rows) return Promise.resolve(rows);
    const loading = ask("children", {node: strings(parent.path), from: String(page * perPage), count: String(perPage)}).then(({answer}) => {
      parent.pages.set(page, answer);
      treeRows.later();
      return answer;
    });
    parent.pages.set(page, loading);
    loading.catch(() => parent.pages.delete(page));
    return loading;
  };
  const same = (a, b) => a && b && a.length === b.length && a.every((v, i) => v === b[i]);
  const kidOf = async (parent, index) => {
    if (!parent.kids.has(index)) {
      const rows = await loadPage(parent, Math.floor(index / perPage));
      parent.kids.set(index, nodeOf([...parent.path, index], rows[index % perPage]));
    }
    return parent.kids.get(index);
  };
  // reach returns the node at a path, with all nodes around it open.
  const reach = async (path) => {
    let n = tree;
    for (const index of path) {
      n.open = true;
      n = await kidOf(n, index);
    }
    return n;
  };
  const treeView = $("tree");
  const treeRows = new Rows(treeView, (i) => {
    const {parent, index, depth} = i === 0 ? {parent: null, index: 0, depth: 0} : rowIn(tree, i - 1, 1);
    const path = parent ? [...parent.path, index] : [], row = parent ? dataOf(parent, index) : tree.row;
    const e = make("div", "row");
    e.setAttribute("role", "treeitem");
    e.setAttribute("aria-level", depth + 1);
    e.setAttribute("aria-posinset", index + 1);
    e.setAttribute("aria-setsize", parent ? parent.count : 1);
    e.dataset.path = path.join(".");
    e.id = "node-" + path.join("-");
    const on = same(path, now.node);
    if (on) e.classList.add("on");
    e.setAttribute("aria-selected", on);
    if (!row) { e.textContent = " ".repeat(2 * depth) + "…"; return e; }
    const n = parent ? parent.kids.get(index) : tree, open = Boolean(n && n.open), branch = Number(row.count) > 0;
    if (branch) e.setAttribute("aria-expanded", open);
    e.append(" ".repeat(2 * depth), make("span", "twist", branch ? (open ? "▾" : "▸") : " "), make("span", "name", row.name || now.type));
    if (row.type) e.append(" ", make("span", "kind", row.type));
    if (row.kind === "null") e.append(" ", make("span", "kind", "null"));
    else if (row.kind === "list") e.append(" ", make("span", "kind", count(Number(row.count), "element")));
    else if (row.text) e.append(branch ? "  " : " = ", make("span", branch ? "kind" : "text", row.text));
    return e;
  });
  const drawTree = () => {
    treeRows.show(tree ? 1 + sizeOf(tree) : 0);
    const on = now.node && $("node-" + now.node.join("-"));
    if (on) treeView.setAttribute("aria-activedescendant", on.id); else treeView.removeAttribute("aria-activedescendant");
  };
  const toggle = async (path, open) => {
    const n = await reach(path);
    if (!n.count) return;
    n.open = open === undefined ? !n.open : open;
    if (n.open) await loadPage(n, 0);
    drawTree();
  };
  const pathOf = (e) => { const row = e.target.closest(".row"); return row && row.dataset.path !== undefined ? row.dataset.path.split(".").filter(Boolean).map(Number) : null; };
  treeView.addEventListener("mouseover", (e) => {
    const path = pathOf(e);
    if (path && path.length) pointAt([], path.join("-"), async (still) => {
      const {answer} = await ask("part", {node: strings(path)});
      if (still()) { now.hover = answer.ranges.map((r) => r.map(Number)); hexRows.later(); }
    });
  });
  treeView.addEventListener("click", (e) => {
    const path = pathOf(e);
    if (!path) return;
    guard(async () => {
      if (e.target.classList.contains("twist") || e.detail === 2) await toggle(path);
      await selectNode(path);
    });
  });
  treeView.addEventListener("keydown", (e) => {
    if (!tree) return;
    const path = now.node || [], row = rowOfPath(path), total = 1 + sizeOf(tree);
    const go = (i) => {
      i = Math.max(0, Math.min(i, total - 1));
      if (i === 0) return selectNode([]);
      const {parent, index} = rowIn(tree, i - 1, 1);
      return selectNode([...parent.path, index]);
    };
    const acts = {
      ArrowDown: () => go(row + 1), ArrowUp: () => go(row - 1), Home: () => go(0), End: () => go(total - 1),
      PageDown: () => go(row + treeRows.seen), PageUp: () => go(row - treeRows.seen),
      ArrowRight: async () => { const n = await reach(path); if (n.count && !n.open) await toggle(path, true); else if (n.count) await go(row + 1); },
      ArrowLeft: async () => { const n = await reach(path); if (n.open) await toggle(path, false); else if (path.length) await selectNode(path.slice(0, -1)); },
      Enter: () => { if (now.ranges.length) now.cursor = now.ranges[0][0]; bytesView.focus(); hexRows.reveal(Math.floor(now.cursor / perRow)); },
      " ": () => toggle(path), F2: () => { if (!$("edit").hidden) $("value").focus(); },
    };
    if (!acts[e.key]) return;
    e.preventDefault();
    guard(acts[e.key]);
  });

  // Selection: of a byte, or of a part of the value.
  const guard = (act, where) => Promise.resolve().then(act).catch((e) => wrong(printable(e.message), where));
  let turn = 0, reading = 0;
  const clauseOf = (id) => records && records.clauseById.get(id);
  const clauseLine = (id) => {
    const p = make("p"), c = clauseOf(id);
    if (!c) return p;
    const a = make("a", "id", id);
    a.href = root + c.page;
    p.append(a, " ", ...c.text.split("`").map((part, i) => (i % 2 ? make("code", "", part) : part)));
    return p;
  };
  const describe = (where, path, value, clauses, type) => {
    const p = make("p");
    p.append(where + " ", make("span", "path", path || "the value"), type ? " (" + type + ")" : "", value ? " = " : "", make("span", "text", value));
    $("said").replaceChildren(p, ...clauses.filter(Boolean).map(clauseLine));
  };
  const select = (offset) => guard(async () => {
    const mine = ++turn, s = spanAt(offset);
    now.cursor = offset;
    now.ranges = s < 0 ? [] : [[now.starts[s], now.ends[s]]];
    hexRows.reveal(Math.floor(offset / perRow));
    if (s < 0) {
      $("edit").hidden = true;
      const value = offset < now.bytes.length ? String(now.bytes[offset]) : "";
      describe("At " + at(offset) + ":", now.opened.limited ? "no span, because there are too many" : now.opened.error ? (offset === now.bytes.length ? "the input ends" : "not read") : "no field", value, []);
      return;
    }
    const {answer: [span]} = await ask("spans", {from: String(s), count: "1"});
    if (mine !== turn) return;
    describe(place(now.ranges), span.path, span.value, [span.clause]);
    $("edit").hidden = true;
    if (!tree) return;
    const {answer: node} = await ask("locate", {path: span.path});
    if (mine !== turn) return;
    now.node = node.map(Number);
    const n = await reach(now.node);
    if (mine !== turn) return;
    treeRows.total = -1;
    drawTree();
    treeRows.reveal(rowOfPath(now.node));
    drawTree();
    const {answer: part} = await ask("part", {node});
    if (mine === turn && !n.count) offer(part);
  });
  const place = (ranges) => {
    if (!ranges.length) return "No bytes:";
    const [from, to] = ranges[0], rest = ranges.length > 1 ? " and " + count(ranges.length - 1, "more place") : "";
    return (to - from === 1 ? "At " + at(from) : "Bytes " + from + " to " + (to - 1) + hexed(from)) + rest + ":";
  };
  // offer shows the part of the value in the form for changes.
  const offer = (part) => {
    $("edit").hidden = !part.tree;
    $("edited").textContent = "";
    if (!part.tree) return;
    const leaf = ["number", "name", "bytes"].includes(part.row.kind);
    $("value").value = leaf ? JSON.parse(part.tree) : part.tree;
    $("value").rows = Math.min(8, part.tree.split("\n").length);
    $("edit").dataset.kind = part.row.kind;
  };
  const selectNode = async (path) => {
    const mine = ++turn;
    now.node = path;
    const n = await reach(path);
    treeRows.total = -1;
    drawTree();
    treeRows.reveal(rowOfPath(path));
    drawTree();
    const {answer: part} = await ask("part", {node: strings(path)});
    if (mine !== turn) return;
    now.ranges = part.ranges.map((r) => r.map(Number));
    if (now.ranges.length) {
      now.cursor = now.ranges[0][0];
      hexRows.reveal(Math.floor(now.cursor / perRow));
    } else hexRows.show();
    describe(place(now.ranges), part.path, n.count ? "" : n.row.text, n.count ? part.clauses.slice(0, 1) : part.clauses, n.row.type);
    offer(part);
  };

  // Opening and reading. A file, and what was opened inside it, is a trail; the history of
  // the browser leads along it.
  let trail = [], depth = 0, session = Date.now();
  const open = async (bytes, name, how = {}) => {
    if (bytes.length > mostBytes) throw new Error("The playground opens files of at most 64 MiB. The command formatgauge opens larger ones.");
    if (!running) say("The reference is still loading. The file is read after that.");
    await known;
    await ready;
    if (how.type && !records.typeByName.has(how.type)) throw new Error("There is no type " + printable(how.type) + ".");
    if (how.step === undefined) {
      if (memory > mostMemory) { end("Another file was opened."); start(); }
      trail = [{bytes, name, how}];
      depth = 0;
      session++;
    } else if (how.step > depth) {
      trail[depth].bytes = now.bytes;
      trail = [...trail.slice(0, how.step), {bytes, name, how}];
    }
    depth = how.step || 0;
    say("Reading…");
    $("result").hidden = $("first").hidden = true;
    $("result").classList.add("filling"); // until all has its size, so that nothing moves
    // Who typed goes on typing.
    const typing = /^(hex|vector)$/.test(document.activeElement.id);
    if (!typing && $("others").contains(document.activeElement)) $("h-result").focus({preventScroll: true});
    $("others").open = typing;
    document.body.classList.add("opened");
    for (const id of ["tool-note", "find-note", "edited"]) say("", id);
    Object.assign(now, {name: printable(name), bytes, sides: how.sides || {}, base: how.base || "observed", context: how.context || [], changed: [], undo: [], ranges: [], cursor: 0, node: null, hover: []});
    tree = null;
    textures = [];
    drawTree();
    const {answer} = await ask("recognise", {}, bytes);
    now.hint = answer.hint;
    now.types = answer.types;
    now.guess = !how.type && answer.whole !== true;
    now.type = how.type || answer.types[0] || "ka.Archive";
    if (!how.context) now.context = records.typeByName.get(now.type).context.slice();
    fillTypes(answer.types);
    $("archives").hidden = true;
    showTrail();
    await read();
    if (now.opened.error && !how.type && await scan()) {
      showVerdict();
      if (isOther()) await select(0);
    }
    scrollTo(0, 0);
  };
  const openPart = (bytes, name, how) => {
    const step = depth + 1;
    history.pushState({session, step}, "", location.pathname + location.search);
    return open(bytes, name, {...how, step});
  };
  const showTrail = () => {
    $("trail").hidden = !depth;
    $("trail").replaceChildren(...trail.slice(0, depth + 1).flatMap((t, i) => {
      const name = printable(t.name);
      return i === depth ? [name] : [button(name, () => history.go(i - depth)), " › "];
    }));
  };
  // showGuess says how the type was found, and offers the others that accept the bytes.
  const showGuess = () => {
    const others = now.guess ? now.types.filter((t) => t !== now.type) : [], box = $("guess");
    box.hidden = !now.guess;
    const known = now.types.includes(now.type);
    box.replaceChildren(known && !now.opened.error ? (others.length ? "The type is a guess: " + count(others.length, "other type") + " accept" + (others.length === 1 ? "s" : "") + " these bytes: " : "The type is a guess: it is the only one that accepts these bytes.") : known ? "The type is a guess from the first bytes." : "No type was recognised. " + now.type + " is a try; choose another one if you know it.");
    for (const t of others.slice(0, 6)) box.append(button(t, () => { $("type").value = t; $("type").dispatchEvent(new Event("change")); }), " ");
    if (others.length > 6) box.append("and " + (others.length - 6) + " more in the list of types.");
  };
  const fillTypes = (likely) => {
    const group = (label, names) => {
      const g = make("optgroup");
      g.label = label;
      for (const name of names) g.append(make("option", "", name));
      return g;
    };
    $("type").replaceChildren(...(likely.length ? [group("recognised", likely)] : []), group("all types", [...records.typeByName.keys()].filter((n) => !likely.includes(n))));
  };
  const read = async () => {
    const mine = ++reading;
    turn++;
    const {answer, bytes} = await ask("open", {});
    if (mine !== reading) return;
    say("");
    const n = bytes.length / 8, all = new Uint32Array(bytes.buffer, bytes.byteOffset, 2 * n);
    Object.assign(now, {opened: answer, starts: all.subarray(0, n), ends: all.subarray(n), hover: []});
    const before = tree;
    tree = answer.root ? nodeOf([], answer.root) : null;
    if (tree) keepOpen(before, tree);
    $("result").hidden = false;
    showGuess();
    $("h-result").textContent = now.name + ": " + count(now.bytes.length, "byte");
    showSettings();
    showVerdict();
    fit();
    drawBytes();
    drawTree();
    $("tree").parentElement.hidden = !tree;
    $("edit").hidden = true;
    $("history").hidden = !now.undo.length;
    if (tree && !before) await unfold();
    if (now.node && tree) await selectNode(now.node).catch(() => select(now.cursor));
    else if (isOther()) { now.ranges = []; $("said").replaceChildren(); drawBytes(); } else select(answer.error ? Number(answer.error.offset) : Math.min(now.cursor, Math.max(0, now.bytes.length - 1)));
    link();
    await showTextures().catch((e) => say(e.message, "picture-note"));
    $("result").classList.remove("filling");
    showSides().catch((e) => say(e.message, "tool-note"));
  };
  // unfold opens nodes, the outer ones first, as long as few rows are shown.
  const unfold = async () => {
    const mine = reading, queue = [tree];
    for (let n; (n = queue.shift());) {
      if (n !== tree && (!n.count || sizeOf(tree) + n.count > 36)) continue;
      n.open = true;
      const rows = await loadPage(n, 0);
      if (mine !== reading) return;
      for (const [i, row] of rows.slice(0, 36).entries()) if (Number(row.count)) queue.push(await kidOf(n, i));
    }
    drawTree();
  };
  // keepOpen opens the nodes that were open before the value was read again.
  const keepOpen = (before, n) => {
    n.open = before ? before.open : n.count > 0;
    for (const [index, kid] of before ? before.kids : []) {
      if (!kid.open || index >= n.count) continue;
      const copy = nodeOf(kid.path, kid.row);
      n.kids.set(index, copy);
      keepOpen(kid, copy);
      ask("children", {node: strings(n.path), from: String(index), count: "1"}).then(({answer: [row]}) => {
        copy.row = row || copy.row;
        copy.count = row ? Number(row.count) : 0;
        if (!copy.count) copy.open = false;
        drawTree();
      }).catch(() => { n.kids.delete(index); });
    }
  };
  const showSettings = () => {
    $("type").value = now.type;
    $("profile").value = now.base;
    $("context").replaceChildren(...now.context.map((pair, i) => {
      const [key, value] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)], label = make("label", "", key + " "), input = make("input");
      input.value = value;
      input.size = 8;
      input.addEventListener("change", () => { now.context[i] = key + "=" + input.value; guard(read); });
      label.append(input);
      return label;
    }));
  };
  // isOther: the file is known to be something else, and nobody has chosen a type for it.
  const isOther = () => Boolean(now.opened.error && now.hint && now.guess && !now.types.length);
  const showVerdict = () => {
    const a = now.opened, e = a.error, box = $("verdict"), line = (...parts) => { const p = make("p"); p.append(...parts); box.append(p); };
    box.replaceChildren();
    box.className = e ? "bad" : a.encoded.same ? "good" : "warn";
    const inside = e && $("archives").hidden ? 0 : $("found").rows.length;
    if (isOther() && !inside) {
      box.className = "other";
      $("guess").hidden = true;
      return line(now.hint[0].toUpperCase() + now.hint.slice(1) + ". No type reads it; choose one to try it all the same.");
    }
    if (e && inside) {
      box.className = "good";
      $("guess").hidden = true;
      line(make("b", "", count(inside, "archive") + " in this file."), " The file itself is none: read as " + now.type + ", it is rejected (" + e.class + " at " + at(Number(e.offset)) + ").");
    } else if (e) {
      line(make("b", "", "Rejected: " + e.class), " at " + at(Number(e.offset)) + (e.path ? ", " : ""), make("code", "", e.path), e.message ? ": " + e.message + "." : ".");
      if (e.clause) {
        const clause = clauseLine(e.clause), folded = make("details");
        folded.append(make("summary", "", "What " + e.clause + " says"), clause);
        box.append(clause.textContent.length > 300 ? folded : clause);
      }
      if (e.sides.length) line("Accepted under ", ...e.sides.flatMap((s, i) => [i ? ", " : "", button(s, () => { const [flag, side] = s.split("="); now.sides[flag] = side; guard(read); })]));
    } else {
      line(make("b", "", a.encoded.same ? "Accepted." : "Accepted, but noncanonical."), a.limited ? "" : " " + count(Number(a.spans), "field") + " in " + count(Number(a.size), "byte") + ".");
      if (a.encoded.same) line("Written again, the bytes are identical.");
      else if (a.encoded.error) line("The value cannot be written again: " + printable(a.encoded.error) + ".");
      else line("Written again, it has " + count(Number(a.encoded.size), "byte") + ". From " + at(Number(a.encoded.offset)) + " on it is ", make("code", "", a.encoded.is || "nothing"), ", not ", make("code", "", a.encoded.was || "nothing"), ". ",
        button("Show it", () => select(Math.min(Number(a.encoded.offset), now.bytes.length - 1))), " ", button("Open what is written", () => guard(async () => adopt((await ask("encoded", {})).bytes, []))));
    }
    if (now.hint && !isOther()) line(now.hint[0].toUpperCase() + now.hint.slice(1) + ".");
    if (a.limited) line("There are more than two million fields, so the bytes are shown without them and cannot be searched; the value is complete.");
  };

  // Flags.
  const family = () => now.type.slice(0, now.type.indexOf("."));
  const sideOf = (f) => now.sides[f.id] || (f.sides.some((s) => s.name === now.base) ? now.base : "documented");
  const showSides = async () => {
    const mine = reading, {answer} = await ask("sides", {});
    if (mine !== reading) return;
    const results = new Map();
    for (const {name, result} of answer) {
      const [flag, side] = name.split("=");
      results.set(flag, [...(results.get(flag) || []), side + ": " + result]);
    }
    const flags = records.flags.filter((f) => f.id.startsWith(family() + "."));
    flags.sort((a, b) => results.has(b.id) - results.has(a.id));
    $("flagsum").textContent = "Flags: " + (results.size ? count(results.size, "flag") + " of " + flags.length + " can change what these bytes mean" : now.bytes.length > 65536 ? flags.length + " of this family" : "none of " + flags.length + " changes what these bytes mean") + (Object.keys(now.sides).length ? "; switched: " + Object.entries(now.sides).map(([f, s]) => f + "=" + s).join(", ") : "");
    const focused = document.activeElement && document.activeElement.dataset.flag;
    $("flags").replaceChildren(...flags.map((f) => {
      const tr = make("tr", results.has(f.id) ? "matters" : ""), th = make("th"), a = make("a", "id", f.id), td = make("td"), choice = make("select");
      th.scope = "row";
      a.href = root + f.page;
      th.append(a);
      for (const s of f.sides) { const o = make("option", "", s.name); o.title = s.reading; choice.append(o); }
      choice.value = sideOf(f);
      choice.dataset.flag = f.id;
      choice.setAttribute("aria-label", "side of " + f.id);
      choice.addEventListener("change", () => {
        delete now.sides[f.id];
        if (choice.value !== sideOf(f)) now.sides[f.id] = choice.value;
        guard(read);
      });
      td.append(choice);
      tr.append(th, td, make("td", "", (results.get(f.id) || [now.bytes.length > 65536 ? "not tried above 64 KiB" : "no difference"]).join("; ")));
      return tr;
    }));
    if (focused) { const again = $("flags").querySelector('[data-flag="' + CSS.escape(focused) + '"]'); if (again) again.focus(); }
  };
  $("profile").addEventListener("change", () => { now.base = $("profile").value; now.sides = {}; guard(read); });
  $("type").addEventListener("change", () => {
    const before = family();
    now.hint = "";
    now.type = $("type").value;
    now.context = records.typeByName.get(now.type).context.slice();
    if (family() !== before) now.sides = {};
    now.node = null;
    tree = null;
    drawTree();
    guard(read);
  });
  $("settings").addEventListener("submit", (e) => e.preventDefault());

  // Changes.
  const adopt = async (bytes, changed) => {
    if (now.undo.reduce((sum, b) => sum + b.length, bytes.length) < undoBytes) now.undo.push(now.bytes);
    now.bytes = bytes;
    now.changed = changed;
    await ask("recognise", {}, bytes);
    await read();
  };
  $("edit").addEventListener("submit", (e) => {
    e.preventDefault();
    const kind = $("edit").dataset.kind, typed = $("value").value, text = kind === "text" && !/^\s*["{]/.test(typed) ? JSON.stringify(typed) : typed;
    const note = (s, bad) => { $("edited").textContent = s; $("edited").className = bad ? "bad" : ""; };
    ask("edit", {node: strings(now.node || []), text}).then(async ({answer, bytes}) => {
      const changed = answer.changed.map((r) => r.map(Number)), n = Number(answer.count);
      await adopt(bytes, changed);
      note((n || bytes.length !== now.undo.at(-1)?.length ? (answer.atMost === true ? "At most " : "") + count(n, "byte") + " changed, " + count(bytes.length, "byte") + " in all." : "Nothing changed.") + (answer.rebuilt === true ? " Counts and offsets were computed again." : ""));
    }).catch((e) => note(printable(e.message), true));
  });
  $("value").addEventListener("keydown", (e) => {
    if (e.key === "Enter" && !e.shiftKey && $("value").rows < 2) { e.preventDefault(); $("edit").requestSubmit(); }
    if (e.key === "Escape") treeView.focus();
  });
  $("undo").addEventListener("click", () => guard(async () => {
    now.bytes = now.undo.pop();
    now.changed = [];
    await ask("recognise", {}, now.bytes);
    await read();
  }));

  // Search.
  $("seek").addEventListener("submit", (e) => {
    e.preventDefault();
    const text = $("find").value.trim();
    if (text && now.opened.limited) return say("The file has too many fields to search.", "find-note");
    if (text) guard(async () => {
      const s = Number((await ask("search", {text, from: String(spanAt(now.cursor) + 1)})).answer);
      say(s < 0 ? "No field contains " + printable(text) + "." : "", "find-note");
      if (s >= 0) select(now.starts[s]);
    }, "find-note");
  });

  // Archives.
  const scan = async () => {
    const {answer} = await ask("scan", {});
    $("archives").hidden = !answer.length;
    $("archives-note").textContent = answer.length ? "" : "The file contains no archive.";
    $("found").replaceChildren(...answer.map((f) => {
      const tr = make("tr"), first = make("td"), cell = (text, unit) => { const td = make("td", unit ? "n" : "", text); if (unit) td.append(make("i", "", " " + unit)); return td; };
      first.append(button("Open", () => guard(() => openPart(now.bytes.subarray(Number(f.offset), Number(f.offset) + Number(f.length)), now.name + " at " + f.offset, {type: "ka.Archive"}))));
      tr.append(first, cell("at " + f.offset), cell(f.length, "bytes"), cell(f.version), cell(f.keys, f.keys === "1" ? "key" : "keys"), cell(f.names, f.names === "1" ? "name" : "names"), cell({yes: "canonical", no: "noncanonical", "-": "no canonical one"}[f.canonical]));
      return tr;
    }));
    return answer.length;
  };
  $("scan").addEventListener("click", () => guard(async () => {
    const n = await scan();
    say(n ? "" : "The file contains no archive.", "tool-note");
    if (n) $("archives").scrollIntoView({block: "nearest"});
  }, "tool-note"));

  // Textures.
  let textures = [];
  const option = (text, value) => { const o = make("option", "", text); o.value = value; return o; };
  const showTextures = async () => {
    textures = tree && now.type === "uasset.Package" ? (await ask("textures", {})).answer : [];
    $("textures").hidden = !textures.length;
    if (!textures.length) return;
    const before = [$("texture").value, $("mip").value];
    $("texture").replaceChildren(...textures.map((t, i) => option(t.name + ", " + t.format, i)));
    if (before[0] && Number(before[0]) < textures.length) $("texture").value = before[0];
    showMips(before[1]);
    await draw();
  };
  const showMips = (before) => {
    const t = textures[Number($("texture").value)];
    $("mip").replaceChildren(...t.mips.map((m, i) => option(i + ": " + m.width + " × " + m.height, i)));
    if (before && Number(before) < t.mips.length) $("mip").value = before;
  };
  const picture = () => {
    const t = textures[Number($("texture").value)];
    return ask("picture", {row: t.row, mip: $("mip").value || "0", channel: $("channel").value}).then(({answer, bytes}) => ({t, answer, bytes}));
  };
  const draw = async () => {
    const img = $("picture");
    URL.revokeObjectURL(img.src);
    try {
      const {t, answer, bytes} = await picture(), width = Number(answer.width), height = Number(answer.height), size = width + " by " + height + " pixels";
      img.src = URL.createObjectURL(new Blob([bytes], {type: "image/png"}));
      img.style.width = Math.max(width, Math.min(256, width * Math.floor(256 / Math.max(width, height)) || width)) + "px";
      img.alt = t.name + ", mip " + $("mip").value + ", " + size;
      img.hidden = false;
      $("picture-note").textContent = size + (Number(t.slices) > 1 ? ", " + t.slices + " slices below each other" : "");
    } catch (e) {
      img.hidden = true;
      $("picture-note").textContent = printable(e.message);
    }
  };
  $("as-png").addEventListener("click", () => guard(async () => { const {t, bytes} = await picture(); download(bytes, ".png", "image/png", t.name); }, "picture-note"));
  $("texture").addEventListener("change", () => { showMips(); guard(draw, "picture-note"); });
  for (const id of ["mip", "channel"]) $(id).addEventListener("change", () => guard(draw, "picture-note"));
  $("look").addEventListener("submit", (e) => e.preventDefault());

  // What leaves the page: files and links.
  const download = (bytes, suffix, type, name = now.name) => {
    const a = make("a");
    a.href = URL.createObjectURL(new Blob([bytes], {type}));
    a.download = (name.replace(/[^\w.-]+/g, "_").replace(/^\.+/, "") || "input") + suffix;
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
  };
  $("as-json").addEventListener("click", () => guard(async () => download((await ask("json", {})).bytes, ".json", "application/json"), "tool-note"));
  $("as-bytes").addEventListener("click", () => download(now.bytes, now.undo.length ? ".changed" : "", "application/octet-stream"));
  $("as-draft").addEventListener("click", () => guard(async () => download((await ask("draft", {name: "draft"})).bytes, ".txtar", "text/plain"), "tool-note"));
  const hexOf = (bytes) => Array.from(bytes, (b) => digits[b]).join("");
  const address = () => {
    const q = new URLSearchParams({type: now.type});
    if (now.base !== "observed") q.set("profile", now.base);
    const flags = Object.entries(now.sides).map(([f, s]) => f + "=" + s);
    if (flags.length) q.set("flags", flags.join(","));
    if (now.context.length) q.set("context", now.context.join(","));
    q.set("hex", hexOf(now.bytes));
    return "#" + q.toString().replaceAll("%3D", "=").replaceAll("%2C", ",").replaceAll("%3C", "<").replaceAll("%3E", ">");
  };
  // linked returns the address of what is open, or "" if it is too long.
  const linked = () => { const text = 2 * now.bytes.length < longestLink ? address() : ""; return text.length <= longestLink ? text : ""; };
  const link = () => history.replaceState({session, step: depth}, "", linked() || location.pathname + location.search);
  $("as-link").addEventListener("click", () => guard(async () => {
    if (!linked()) throw new Error("A link has at most 2,000 characters, two for each byte.");
    const text = location.href.replace(/#.*/, "") + linked();
    // Without https there is no clipboard; then the browser copies a selection.
    const copied = navigator.clipboard ? await navigator.clipboard.writeText(text).then(() => true, () => false) : (() => {
      const box = make("textarea");
      box.value = text;
      document.body.append(box);
      box.select();
      const done = document.execCommand("copy");
      box.remove();
      return done;
    })();
    say(copied ? "The link is in the clipboard." : "The address of this page is the link.", "tool-note");
  }, "tool-note"));

  // What is opened: hex, a file, a vector, a sample, or what the address says.
  const parseHex = (text) => {
    const digits = text.replace(/0x|\\x|[\s,:;_-]/gi, "");
    if (!/^([0-9a-f]{2})*$/i.test(digits)) throw new Error("Bytes in hex are pairs of the digits 0 to 9 and a to f.");
    return Uint8Array.from(digits.match(/../g) || [], (d) => parseInt(d, 16));
  };
  const families = new Map();
  const openVector = async (id) => {
    const name = id.slice(0, id.indexOf("/"));
    await known;
    if (!records.vectors.includes(id)) throw new Error("There is no vector " + printable(id) + " with at most 64 KiB of bytes.");
    if (!families.has(name)) families.set(name, load(name + ".json").then((r) => r.json()));
    const v = (await families.get(name)).find((v) => v.id === id);
    const context = records.typeByName.get(v.type).context.map((pair) => v.context.find((own) => own.split("=")[0] === pair.split("=")[0]) || pair);
    await open(parseHex(v.hex), id, {type: v.type, context});
  };
  const openSample = async (name) => open(new Uint8Array(await (await load(name)).arrayBuffer()), name);
  const openFile = async (file) => {
    if (file.size > mostBytes) throw new Error("The playground opens files of at most 64 MiB. The command formatgauge opens larger ones.");
    await open(new Uint8Array(await file.arrayBuffer()), file.name);
  };
  const openAddress = async () => {
    const q = new URLSearchParams(location.hash.slice(1));
    if (q.has("vector")) return openVector(q.get("vector"));
    if (q.has("sample")) return openSample(q.get("sample"));
    if (!q.has("hex")) return;
    const sides = {};
    for (const pair of (q.get("flags") || "").split(",").filter(Boolean)) { const [f, s] = pair.split("="); sides[f] = s; }
    const type = q.get("type") || undefined;
    const context = q.has("context") ? q.get("context").split(",").filter(Boolean) : undefined;
    await open(parseHex(q.get("hex")), "hex", {type, context, sides, base: q.get("profile") === "documented" ? "documented" : "observed"});
  };
  $("paste").addEventListener("submit", (e) => { e.preventDefault(); guard(() => open(parseHex($("hex").value), "hex")); });
  $("hex").addEventListener("keydown", (e) => { if (e.key === "Enter" && !e.shiftKey) { e.preventDefault(); $("paste").requestSubmit(); } });
  $("file").addEventListener("change", () => {
    const [file] = $("file").files;
    if (file) guard(() => openFile(file));
    $("file").value = ""; // so that the same file can be chosen again
    $("file").blur();
  });
  $("pick").addEventListener("submit", (e) => { e.preventDefault(); guard(() => openVector($("vector").value.trim())); });
  $("vector").addEventListener("focus", async () => { await known; if (!$("vectors").children.length) $("vectors").append(...records.vectors.map((id) => option("", id))); });
  for (const b of document.querySelectorAll("[data-sample]")) b.addEventListener("click", () => guard(() => openSample(b.dataset.sample)));
  addEventListener("dragover", (e) => { e.preventDefault(); document.body.classList.add("over"); });
  addEventListener("dragleave", () => document.body.classList.remove("over"));
  addEventListener("drop", (e) => {
    e.preventDefault();
    document.body.classList.remove("over");
    if (e.dataTransfer.files.length) guard(() => openFile(e.dataTransfer.files[0]));
  });
  addEventListener("popstate", ({state}) => guard(() => {
    const back = state && state.session === session && trail[state.step];
    if (back) return open(back.bytes, back.name, {...back.how, step: state.step});
    if (location.hash) return openAddress();
    say("That file is closed. Choose it again.");
  }));

  if (document.body.classList.contains("folded")) $("others").open = false;
  document.body.classList.remove("folded");
  progress("Loading the reference. Files can be chosen already.");
  known = load("records.json").then((r) => r.json()).then((r) => { records = {...r, typeByName: new Map(r.types.map((t) => [t.name, t])), clauseById: new Map(r.clauses.map((c) => [c.id, c]))}; });
  module = known.then(compiled);
  start();
  guard(async () => {
    await ready;
    if (!now.opened) progress("");
    document.body.dataset.ready = "true";
  });
  guard(openAddress);
})();
