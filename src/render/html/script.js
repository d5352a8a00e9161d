(function () {
  "use strict";
  var bar = document.querySelector("search");
  var words = document.getElementById("filter-text");
  var system = document.getElementById("filter-system");
  var only = document.getElementById("filter-only");
  var said = document.getElementById("filter-count");
  var rows = Array.from(document.querySelectorAll("[data-mark]"));
  var texts = null;
  function hides(row, at, wanted) {
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
    var shown = 0;
    rows.forEach(function (row, at) {
      row.hidden = hides(row, at, wanted);
      if (!row.hidden) { shown += 1; }
    });
    document.querySelectorAll("main > section[data-system]").forEach(function (section) {
      section.hidden = system.value === "" ? false : section.dataset.system !== system.value;
    });
    document.querySelectorAll("[data-list]").forEach(function (list) {
      var some = list.querySelector("[data-mark]:not([hidden])") !== null;
      list.hidden = !some;
      if (list.tagName === "DETAILS") {
        if (wanted.length > 0) { list.open = some; }
      }
    });
    var still = [words.value, system.value].join("") === "" ? !only.checked : false;
    said.textContent = still ? "" : shown + " of " + rows.length + " rows";
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
  }
  addEventListener("hashchange", reveal);
  reveal();
  var closed = [];
  addEventListener("beforeprint", function () {
    closed = Array.from(document.querySelectorAll("details:not([open])"));
    closed.forEach(function (one) { one.open = true; });
  });
  addEventListener("afterprint", function () {
    closed.forEach(function (one) { one.open = false; });
  });
})();
