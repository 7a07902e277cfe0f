"use strict";
// Search, filters and linked bytes. Without this script all pages show the same content.
(() => {
  // The page for missing addresses is shown at any of them: its links begin where this
  // script is.
  let root = document.body.dataset.root;
  if (root === "?") {
    root = new URL(".", document.currentScript.src).href;
    for (const e of document.querySelectorAll("a[href], form")) {
      const name = e.href === undefined ? "action" : "href", to = e.getAttribute(name);
      if (!/^(#|https:)/.test(to)) e.setAttribute(name, root + to);
    }
  }
  const make = (name, classes, text) => {
    const e = document.createElement(name);
    if (classes) e.className = classes;
    if (text !== undefined) e.textContent = text;
    return e;
  };

  // The keys / and s move to the search.
  addEventListener("keydown", (e) => {
    if (e.key === "/" && !e.ctrlKey && !e.metaKey && !e.altKey && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      e.preventDefault();
      document.querySelector("main form[role=search] input, form[role=search] input").focus();
    }
  });

  // Search, as package find ranks: a table of questions holds both.
  const stem = (w) => w.length > 4 && w.endsWith("ies") ? w.slice(0, -3) + "y" : w.length > 4 && /(sses|xes|ches|shes)$/.test(w) ? w.slice(0, -2) : w.length > 3 && /[^sui]s$/.test(w) ? w.slice(0, -1) : w;
  const lower = (s) => stem(s.toLowerCase()), runsOf = (text) => text.match(/\B-[0-9]+|[A-Za-z0-9]+/g) || [], humpsOf = (run) => run.match(/[A-Z]*[a-z]+|[A-Z]+|[0-9]+/g) || [];
  const wordsOfRuns = new Map(); // the texts have few runs, many times
  const wordsOfRun = (run) => {
    const humps = humpsOf(run), out = [lower(run), ...(humps.length > 1 ? humps.filter((h) => h.length > 1).map(lower) : [])];
    wordsOfRuns.set(run, out);
    return out;
  };
  const wordsOf = (text) => runsOf(text).flatMap((run) => wordsOfRuns.get(run) || wordsOfRun(run));
  const wordsOfID = (e) => (e.kind.name === "clause" || e.kind.name === "fault" ? [] : wordsOf(e.id.slice(e.id.lastIndexOf("/") + 1)).filter((w) => w.length > 2 || !/^[0-9]/.test(w)));
  const indexOf = (start, rest) => {
    const kinds = start.kinds.map(([name, weight, page], order) => ({name, weight, page, order}));
    const entries = start.entries.map(([kind, parent, id, names, bytes], i) => ({kind: kinds[kind], parent, id, names, bytes: bytes || [], text: "", ...(rest && (([text, fails, rule, example, more]) => ({text, fails, rule, example, more}))(rest.texts[i]))}));
    for (const [parent, id, text, bytes, verdict, fails, rule] of rest ? rest.vectors : []) entries.push({kind: kinds.at(-1), parent, id, names: "", bytes: [bytes.replace("…", "")], shown: bytes, text, verdict, fails, rule, example: id});
    const words = new Map(), ids = new Map(), utf8 = new TextEncoder();
    // The words of the id and the names of an entry and of what it is in: computed once, because many have the same parent.
    const named = (e) => (e ? e.named ||= new Set([...wordsOfID(e), ...wordsOf(e.names), ...named(entries[e.parent])]) : []);
    entries.forEach((e, at) => {
      e.at = at;
      if (!ids.has(e.id)) ids.set(e.id, e);
      const add = (list, weight) => { for (const w of list) { const hits = words.get(w); if (!hits) words.set(w, [[at, weight]]); else if (hits.at(-1)[0] !== at) hits.push([at, weight]); } };
      const vector = e.kind.name === "vector";
      e.runs = /^(vector|clause|fault)$/.test(e.kind.name) ? 0 : runsOf(e.id.slice(Math.max(e.id.lastIndexOf("."), e.id.lastIndexOf("/")) + 1)).length;
      if (vector) add(wordsOfID(e), 2);
      add(wordsOfID(e), 8);
      add(wordsOf(e.names), 6);
      add(wordsOf(e.text), utf8.encode(e.text).length < 200 && !vector ? 4 : 2);
      add(wordsOf(e.verdict || ""), 2);
      add(wordsOf(e.more || ""), 2);
      add(named(entries[e.parent]), 1);
    });
    const synonyms = new Map();
    for (const group of start.synonyms) for (const w of group) synonyms.set(w, new Set([...(synonyms.get(w) || []), ...group.filter((other) => other !== w)]));
    return {entries, words, ids, ignored: start.ignored, synonyms};
  };
  const pageOf = (x, e) => {
    const path = (id) => id.replace(".", "/"), parent = x.entries[e.parent];
    return e.kind.page.replace(/[*@^%]/g, (c) => ({"*": e.id.slice(e.id.lastIndexOf("/") + 1), "@": path(e.id), "^": parent ? path(parent.id) : "", "%": e.id.toLowerCase().replaceAll(" ", "-")})[c]);
  };
  const nearly = (a, b) => {
    while (a && b && a[0] === b[0]) [a, b] = [a.slice(1), b.slice(1)];
    while (a && b && a.at(-1) === b.at(-1)) [a, b] = [a.slice(0, -1), b.slice(0, -1)];
    return a.length < 2 && b.length < 2 || a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0];
  };
  const match = (x, w, answer) => {
    const best = new Map(), has = new Set();
    const add = (word, worth) => { for (const [at, weight] of x.words.get(word)) { best.set(at, Math.max(best.get(at) || 0, worth * weight)); if (weight > 1) has.add(at); } };
    const same = (word) => x.synonyms.get(word) || new Set();
    for (const word of x.words.keys()) {
      if (word === w) add(word, 10);
      else if (same(w).has(word)) add(word, 9);
      else if (w.length > 2 && word.startsWith(w)) add(word, 3);
      else if (w.length > 6 && word.startsWith(w.slice(0, -3))) add(word, 2);
      else if (w.length > 3 && word.includes(w)) add(word, 1);
    }
    if (best.size) return [best, has.size];
    let read = "", most = 0;
    for (const [word, hits] of x.words) {
      if (w.length < 4 || !nearly(w, word)) continue;
      add(word, 9);
      for (const other of same(word)) if (x.words.has(other)) add(other, 2);
      if (hits.length > most || hits.length === most && word < read) [read, most] = [word, hits.length];
    }
    if (read) answer.notes.push("Nothing has the word " + w + "; it was read as " + read + "."); else answer.unknown.push(w);
    return [best, has.size];
  };
  const queryWords = (x, query) => {
    const all = [...new Set(runsOf(query).flatMap((run) => { const humps = humpsOf(run); return x.words.has(lower(run)) || x.synonyms.has(lower(run)) || humps.length < 2 ? [lower(run)] : wordsOf(humps.join(" ")); }))];
    const kept = all.filter((w) => !x.ignored.includes(w));
    return kept.length ? kept : all;
  };
  const findBytes = (x, digits, number, scores) => {
    const other = number ? digits.match(/../g).reverse().join("") : digits, raise = (at, worth) => scores.set(at, Math.max(scores.get(at) || 0, worth));
    for (const e of x.entries) for (const own of e.bytes) {
      const tag = e.kind.name === "structure" && (digits.startsWith(own) || other.startsWith(own));
      const worth = !own ? 0 : tag ? 4000 : number ? 0 : own === digits ? 3000 : own.startsWith(digits) ? 2000 - own.length : own.includes(digits) ? 500 - own.length : 0;
      if (worth > 0) raise(e.at, worth);
      if (e.parent >= 0 && worth >= 1952 && e.kind.name === "vector") raise(e.parent, worth - 1);
    }
  };
  const rank = (x, words, scores, answer) => {
    const own = new Map();
    let all = 0, least = 0;
    for (const w of words) {
      const [hits, has] = match(x, w, answer), rarity = 32 - Math.clz32(Math.floor(x.entries.length / Math.max(has, 1)));
      all += rarity;
      for (const [at, value] of hits) {
        const o = own.get(at) || {score: 0, rare: 0, count: 0, named: 0};
        own.set(at, {score: o.score + value * rarity * x.entries[at].kind.weight, rare: o.rare + rarity, count: o.count + 1, named: o.named + (value >= 72)});
      }
    }
    answer.some = true;
    for (const [at, o] of own) {
      const runs = x.entries[at].runs;
      o.score = Math.floor(o.score * (runs && o.named >= runs ? Math.floor((o.rare + 2 * all) / 3) : o.rare) / all);
      if (o.count === words.length) { answer.some = false; least = Math.max(least, o.score); }
    }
    for (const [at, o] of own) if (o.count === words.length || o.score > least || answer.some) scores.set(at, (scores.get(at) || 0) + o.score);
  };
  const search = (x, query) => {
    const answer = {notes: [], unknown: [], some: false, words: []}, scores = new Map(), q = query.trim().toLowerCase();
    const hex = /^(0x|\\x)?[0-9a-f]{2}([\s,:]*(0x|\\x)?[0-9a-f]{2})+$/.test(q) && /[0-9]|[^0-9a-f]/.test(q);
    const digits = q.replace(/0x|\\x|[\s,:]/g, ""), number = /^0x[0-9a-f]{1,8}$/.test(q);
    if (hex) findBytes(x, digits, number, scores);
    const words = queryWords(x, query);
    if (!hex || words.length === 1 && [...x.words.keys()].some((w) => w.includes(words[0]))) { rank(x, words, scores, answer); answer.words = words; }
    if (hex && number && !scores.size) findBytes(x, digits, false, scores);
    const id = q.replace(/^corpus\//, "").replace(/\.txtar$/, "").split("=")[0];
    let noID = /^[a-z0-9]+[-./][^\s]+$/.test(q);
    for (const e of x.entries) {
      const own = e.id.toLowerCase(), worth = !id ? 0 : own === id ? 2 ** 30 : own.startsWith(id) && id.length > 2 ? 2 ** 20 : 0;
      if (worth) { scores.set(e.at, (scores.get(e.at) || 0) + worth); noID = false; }
      else if (e.kind.name === "structure" && id.length > 3 && own.slice(own.indexOf(".") + 1).startsWith(id)) scores.set(e.at, (scores.get(e.at) || 0) + 2 ** 19);
    }
    for (const e of x.entries) if (noID && nearly(e.id.toLowerCase(), id)) scores.set(e.at, (scores.get(e.at) || 0) + 2 ** 20);
    answer.notes.sort();
    if (answer.unknown.length) answer.notes.unshift("Nothing has the word " + answer.unknown.join(", nor ") + ".");
    else if (answer.some) answer.notes.push("Nothing has all of these words; the results have some.");
    if (noID) answer.notes.unshift("There is no id " + query.trim() + ".");
    answer.found = [...scores.keys()].map((at) => x.entries[at]).sort((p, r) => scores.get(r.at) - scores.get(p.at) || p.kind.order - r.kind.order || p.at - r.at);
    return answer;
  };
  // marked returns a text with marks at the beginnings of words.
  const marked = (text, words) => {
    const p = make("p");
    let plain = "";
    for (const part of text.split(/([A-Za-z0-9]+)/)) {
      const own = lower(part);
      if (part && words.some((w) => own === w || w.length > 2 && own.startsWith(w))) {
        p.append(plain, make("mark", "", part));
        plain = "";
      } else plain += part;
    }
    p.append(plain);
    return p;
  };
  const form = document.getElementById("search");
  if (form) {
    const shownAtOnce = 40;
    let index;
    const linkTo = (e) => { const a = make("a", "id", e.id); a.href = root + pageOf(index, e); return a; };
    const line = (name, ...parts) => { const p = make("p", "source"); p.append(name + " ", ...parts); return p; };
    const show = (e, words, first) => {
      const li = make("li"), head = make("p"), rule = index.ids.get(e.rule), shown = index.ids.get(e.example);
      head.append(linkTo(e), make("span", "tag", e.kind.name));
      li.append(head, marked(e.text, words));
      if (!first) return li;
      if (rule) li.append(line("Rule:", linkTo(rule), " " + rule.text));
      if (e.fails && e.fails.length) li.append(line("Failed by:", e.fails.join(", ")));
      if (shown) li.append(line("Example:", linkTo(shown), " ", make("code", "", shown.shown ? shown.shown.replace(/..(?=.)/g, "$& ") : "no bytes"), " " + (shown.verdict || "")));
      return li;
    };
    const run = () => {
      const query = form.q.value.trim();
      history.replaceState(null, "", query ? "?q=" + encodeURIComponent(query) : "?");
      const answer = query ? search(index, query) : {notes: [], found: []}, n = answer.found.length;
      document.getElementById("found").textContent = !query ? "" : [...answer.notes, n + (n === 1 ? " result" : " results") + (n > shownAtOnce ? ", the first " + shownAtOnce + " are shown" : "") + (index.whole ? "" : "; the texts are still loading")].join(" ");
      document.getElementById("results").replaceChildren(...answer.found.slice(0, shownAtOnce).map((e, i) => show(e, answer.words, i === 0)));
    };
    const load = (name, then) => {
      const s = make("script");
      s.src = root + name;
      s.onload = then;
      s.onerror = () => { document.getElementById("found").textContent = "The index cannot be loaded: " + name + "."; };
      document.head.append(s);
    };
    form.addEventListener("submit", (e) => { if (index) { e.preventDefault(); run(); } });
    let timer;
    form.q.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => { if (index) run(); }, 120); });
    load("search.js", () => {
      index = indexOf(formatgaugeIndex);
      run();
      load("search-texts.js", () => { index = indexOf(formatgaugeIndex, formatgaugeTexts); index.whole = true; document.body.dataset.searched = "true"; run(); });
    });
    form.q.value = new URLSearchParams(location.search).get("q") || "";
    form.q.focus();
  }

  // The filters of the register.
  const filters = document.getElementById("filters");
  if (filters) {
    const rows = [...document.querySelectorAll(".register tbody tr")];
    const apply = () => {
      let n = 0;
      for (const row of rows) {
        const d = row.dataset, has = (name, value) => !filters[name].value || value.split(" ").includes(filters[name].value);
        row.hidden = !(has("family", d.family) && has("kind", d.kind) && has("sides", d.sides) && has("basis", d.basis) &&
          row.textContent.toLowerCase().includes(filters.text.value.trim().toLowerCase()));
        n += !row.hidden;
      }
      document.getElementById("count").textContent = n + " of " + rows.length;
    };
    filters.hidden = false;
    filters.addEventListener("input", apply);
    filters.addEventListener("submit", (e) => e.preventDefault());
    apply();
  }

  // Linked bytes: a dump of sixteen bytes per line above each table of bytes. A run of
  // bytes and its row show together, with what they mean. The arrow keys move.
  const perLine = 16, least = 9; // fewer bytes are a dump already
  const clauses = document.getElementById("cited");
  const pathOf = (row) => (row.cells[2].firstChild && row.cells[2].firstChild.nodeType === Node.TEXT_NODE ? row.cells[2].firstChild.data.trim() : "");
  const link = (table) => {
    const grid = make("div", "grid"), said = make("p", "said", "Point at bytes, or move over them with the arrow keys."), runs = [];
    said.setAttribute("aria-live", "polite");
    grid.tabIndex = 0;
    grid.setAttribute("role", "group");
    grid.setAttribute("aria-label", "Bytes. The arrow keys move.");
    let line, column = perLine, group = 0, last = -1, bytes = 0;
    const select = (i) => {
      if (last >= 0) { for (const e of runs[last].parts) e.classList.remove("on"); runs[last].row.classList.remove("on"); }
      last = i;
      said.replaceChildren();
      if (i < 0) return;
      const row = runs[i].row, cells = row.cells;
      row.classList.add("on");
      for (const e of runs[i].parts) e.classList.add("on");
      // The path of a run that continues a span is in an earlier row.
      let first = row;
      while (!pathOf(first) && first.previousElementSibling && !first.previousElementSibling.classList.contains("gap")) first = first.previousElementSibling;
      const path = pathOf(first), note = cells[2].querySelector("small"), clause = first.cells[4].textContent.trim();
      said.append("offset " + parseInt(cells[0].textContent, 16) + " ");
      if (path) said.append(make("b", "", path), " = " + first.cells[3].textContent + " ");
      if (note) said.append("(" + note.textContent + ") ");
      if (clause) {
        const text = clauses && clauses.querySelector('[data-clause="' + clause + '"]');
        said.append(first.cells[4].firstElementChild.cloneNode(true), text ? " " + text.textContent : "");
      }
    };
    for (const row of table.tBodies[0].rows) {
      if (row.classList.contains("gap")) { column = perLine; continue; }
      const pairs = row.cells[1].textContent.match(/^[0-9a-f ]*/)[0].trim().split(" ").filter(Boolean);
      if (!pairs.length) continue;
      bytes += pairs.length;
      const run = {row, parts: []}, i = runs.push(run) - 1;
      if (pathOf(row) || !group) group++;
      let at = parseInt(row.cells[0].textContent, 16);
      for (let k = 0; k < pairs.length;) {
        if (column >= perLine) {
          grid.append(make("span", "at", at.toString(16).padStart(4, "0")));
          line = grid.appendChild(make("span", "line"));
          column = 0;
        }
        const n = Math.min(pairs.length - k, perLine - column);
        const part = make("span", "run" + (group % 2 ? " odd" : "") + (row.classList.contains("fault") ? " fault" : ""), pairs.slice(k, k + n).join(" ") + (column + n < perLine ? " " : ""));
        part.addEventListener("mouseenter", () => select(i));
        line.append(part);
        run.parts.push(part);
        k += n; at += n; column += n;
      }
      if (row.cells[1].querySelector("i")) column = perLine;
      row.addEventListener("mouseenter", () => select(i));
    }
    if (bytes < least) return;
    grid.addEventListener("focus", () => select(Math.max(last, 0)));
    grid.addEventListener("keydown", (e) => {
      const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[e.key];
      const to = e.key === "Home" ? 0 : e.key === "End" ? runs.length - 1 : step ? Math.min(Math.max(last + step, 0), runs.length - 1) : -1;
      if (to < 0) return;
      e.preventDefault();
      select(to);
    });
    const box = make("div", "scroll hexbox");
    box.append(grid);
    const linked = make("div", "linked");
    linked.append(box, said);
    table.parentElement.before(linked);
  };
  for (const table of document.querySelectorAll("article.vector > .hexbox > table")) link(table);
})();
