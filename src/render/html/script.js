(function () {
  "use strict";
  var bar = document.querySelector("search");
  var words = document.getElementById("filter-text");
  var system = document.getElementById("filter-system");
  var only = document.getElementById("filter-only");
  var said = document.getElementById("filter-count");
  var rows = Array.from(document.querySelectorAll("[data-mark]"));
  var chips = Array.from(document.querySelectorAll("[data-chip]"));
  var texts = null;
  // Rows of a list that a filter opens; to lay out more takes long.
  var MOST = 500;
  var opened = new Set();
  function hides(row, at, wanted, severities) {
    if (severities.length > 0) {
      if (row.closest("#findings") === null) { return true; }
      if (!severities.includes(row.dataset.mark)) { return true; }
    }
    if (only.checked) {
      if (row.dataset.mark === "same") { return true; }
    }
    var own = row.dataset.system || system.value;
    if (system.value !== "") {
      if (own !== system.value) { return true; }
    }
    return wanted.some(function (word) { return !texts[at].includes(word); });
  }
  function apply() {
    if (texts === null) {
      texts = rows.map(function (row) { return row.textContent.toLowerCase(); });
    }
    var wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    var severities = chips.filter(function (chip) {
      return chip.getAttribute("aria-pressed") === "true";
    }).map(function (chip) { return chip.dataset.chip; });
    rows.forEach(function (row, at) {
      row.hidden = hides(row, at, wanted, severities);
    });
    document.querySelectorAll("main > section[data-system]").forEach(function (section) {
      section.hidden = system.value === "" ? false : section.dataset.system !== system.value;
    });
    document.querySelectorAll("[data-list]").forEach(function (list) {
      var shown = list.querySelectorAll("[data-mark]:not([hidden])").length;
      list.hidden = shown === 0;
      if (list.tagName === "DETAILS") {
        if (wanted.length > 0) {
          list.open = shown === 0 ? false : Math.min(shown, MOST) === shown;
          opened.add(list);
        } else if (opened.delete(list)) { list.open = false; }
      }
    });
    var still = wanted.concat(severities, system.value || []).length === 0 ? !only.checked : false;
    document.body.classList.toggle("filtered", !still);
    // A thing has several rows; the one with an address counts.
    said.textContent = still ? "" : count(rows.filter(function (row) { return row.id !== ""; }));
    document.querySelectorAll("[data-of]").forEach(function (text) {
      if (text.dataset.of === "") { text.dataset.of = text.textContent; }
      var box = text.closest(".matrix, section");
      var own = box.className === "matrix" ? "tr[data-mark]" : "[data-mark][id]";
      text.textContent = still ? text.dataset.of : count(Array.from(box.querySelectorAll(own)));
    });
  }
  function count(all) {
    var shown = all.filter(function (row) { return !row.hidden; }).length;
    return shown + " of " + all.length + " rows";
  }
  function reveal() {
    var found = document.getElementById(location.hash.slice(1));
    while (found !== null) {
      if (found.tagName === "DETAILS") { found.open = true; }
      found.hidden = false;
      found = found.parentElement;
    }
  }
  if (bar !== null) {
    bar.hidden = false;
    [words, system, only].forEach(function (field) { field.addEventListener("input", apply); });
    chips.forEach(function (chip) {
      chip.addEventListener("click", function () {
        chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
        apply();
      });
    });
    addEventListener("keydown", function (key) {
      if (key.key !== "/") { return; }
      if (key.ctrlKey || key.metaKey || key.altKey) { return; }
      if (key.target.closest("input, select") !== null) { return; }
      key.preventDefault();
      words.focus();
    });
  }
  // The address of what is opened, or of a row that is pointed at, is the link to it.
  document.addEventListener("click", function (click) {
    var row = click.target.closest("summary, tr[id], a, button, input, select, label");
    if (row === null) { return; }
    if (row.tagName === "SUMMARY") { row = row.parentElement; }
    if (row.matches("details[id], tr[id]")) { history.replaceState(null, "", "#" + row.id); }
  });
  // On a narrow screen a row is a card, and each cell says what it is.
  var narrow = matchMedia("(max-width: 40rem)");
  function label() {
    if (!narrow.matches) { return; }
    document.querySelectorAll("table").forEach(function (table) {
      var heads = Array.from(table.tHead.rows[0].cells).map(function (head) { return head.textContent; });
      Array.from(table.tBodies[0].rows).forEach(function (row) {
        Array.from(row.cells).forEach(function (cell, at) { cell.dataset.head = heads[at]; });
      });
    });
  }
  narrow.addEventListener("change", label);
  label();
  addEventListener("hashchange", reveal);
  reveal();
})();
