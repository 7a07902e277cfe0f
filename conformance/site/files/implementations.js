"use strict";
// The filter of the rows of results. Without this script all rows are shown.
(() => {
  const form = document.getElementById("rows");
  if (!form) return;
  const rows = [...document.querySelectorAll(".matrix tbody tr")];
  const named = new URLSearchParams(location.search);
  for (const name of ["outcome", "text"]) if (named.has(name)) form[name].value = named.get(name);
  const apply = () => {
    const q = new URLSearchParams();
    for (const name of ["outcome", "text"]) if (form[name].value) q.set(name, form[name].value);
    history.replaceState(null, "", (String(q) ? "?" + q : location.pathname) + location.hash);
    const text = form.text.value.trim().toLowerCase(), outcome = form.outcome.value;
    let n = 0;
    for (const row of rows) {
      row.hidden = !(row.textContent.toLowerCase().includes(text) && (!outcome || row.dataset.has.split(",").includes(outcome)));
      n += !row.hidden;
    }
    for (const table of document.querySelectorAll(".matrix")) {
      const empty = !table.querySelector("tbody tr:not([hidden])");
      table.hidden = table.parentElement.previousElementSibling.hidden = empty;
    }
    document.getElementById("rowcount").textContent = n + " of " + rows.length;
  };
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (e) => e.preventDefault());
  apply();
})();
