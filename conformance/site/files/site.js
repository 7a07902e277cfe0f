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

  // Search: every word of the query occurs in the id or the text.
  const ignored = new Set("a an and are as be by do does for from how in is it mean means of on or the this to what when where which who why".split(" "));
  const kinds = ["family", "structure", "word", "clause", "fault", "flag", "view", "implementation", "vector"];
  const wordsOf = (query) => {
    const all = query.toLowerCase().split(/\s+/).filter(Boolean), kept = all.filter((w) => !ignored.has(w));
    return kept.length ? kept : all;
  };
  const search = (words) => {
    const found = [];
    for (const entry of formatgaugeIndex) {
      const id = entry[1].toLowerCase(), text = entry[3].toLowerCase(), more = entry[4].toLowerCase();
      let score = 0;
      for (const w of words) {
        const s = id === w ? 90 : id.startsWith(w) ? 40 : id.includes(w) ? 25 : text.includes(w) || more.includes(w) ? 10 : -1;
        if (s < 0) { score = -1; break; }
        score += s + (text.slice(0, 30).includes(w) ? 3 : 0);
      }
      // What states a rule comes before what shows it.
      if (score > 0) found.push([(score + (entry[0] === "vector" || entry[0] === "fault" ? 0 : 15 * words.length)) * 10 - kinds.indexOf(entry[0]), entry]);
    }
    return found.sort((a, b) => b[0] - a[0]).map((f) => f[1]);
  };
  const marked = (text, words) => {
    const p = make("p"), lower = text.toLowerCase();
    for (let at = 0; at < text.length;) {
      let next = text.length, length = 0;
      for (const w of words) {
        const i = lower.indexOf(w, at);
        if (i >= 0 && i < next) { next = i; length = w.length; }
      }
      p.append(text.slice(at, next));
      if (length) p.append(make("mark", "", text.slice(next, next + length)));
      at = next + length;
    }
    return p;
  };
  const form = document.getElementById("search");
  if (form) {
    const shownAtOnce = 60;
    const run = () => {
      const query = form.q.value.trim(), list = document.getElementById("results"), status = document.getElementById("found");
      history.replaceState(null, "", query ? "?q=" + encodeURIComponent(query) : "?");
      list.replaceChildren();
      status.textContent = "";
      if (!query) return;
      const words = wordsOf(query), found = search(words);
      status.textContent = found.length + (found.length === 1 ? " result" : " results") + (found.length > shownAtOnce ? ", the first " + shownAtOnce + " are shown" : "");
      for (const [kind, id, address, text] of found.slice(0, shownAtOnce)) {
        const li = make("li"), head = make("p"), a = make("a", "id", id);
        a.href = root + address;
        head.append(a, make("span", "tag", kind));
        li.append(head, marked(text, words));
        list.append(li);
      }
    };
    const index = make("script");
    index.src = root + "search.js";
    index.onload = () => {
      form.addEventListener("submit", (e) => { e.preventDefault(); run(); });
      let timer;
      form.q.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(run, 120); });
      run();
    };
    document.head.append(index);
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
