/* Single-key shortcuts. Off inside fields and with modifiers; a setting of the account turns them off. No key destroys. */
const on = document.documentElement.hasAttribute("data-shortcuts");
let prefix = "";

const rows = () => [...document.querySelectorAll("[data-row], .tbl tbody tr")].filter((row) => row.offsetParent && entry(row));
const entry = (row) => row.querySelector("a.name, a.ref, a[href]");

function step(distance) {
  const all = rows();
  if (!all.length) return;
  const at = all.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? (distance > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + distance));
  const link = entry(all[next]);
  link.focus();
  link.scrollIntoView({ block: "nearest" });
}

function closePeek() {
  const peek = document.querySelector(".peek:not([hidden])");
  const close = peek?.querySelector("[data-close-peek]");
  if (!close) return;
  // Who was in the peek goes on at the row that it showed.
  if (peek.contains(document.activeElement)) document.querySelector("[data-open] a.name, [data-row][data-open] a")?.focus();
  close.click();
}

const ACTS = {
  j: () => step(1),
  k: () => step(-1),
  o: () => document.activeElement.closest("[data-row], tr")?.querySelector("[data-peek]")?.click(),
  x: () => document.activeElement.closest("tr")?.querySelector("[data-pick]")?.click(),
  "/": () => document.querySelector("[data-search], .main input[type=search]")?.focus(),
  p: () => document.getElementById("live-pause")?.click(),
  "?": () => document.querySelector("[data-open=keys-dialog]").click(),
  g: () => {
    prefix = "g";
    setTimeout(() => { prefix = ""; }, 1500);
  },
};

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented) return;
  // Where the key was pressed, also inside an editor with a tree of its own.
  const field = event.composedPath()[0].closest?.("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");
  if (event.key === "Escape" && field && !field.closest("dialog")) {
    field.blur();
    return;
  }
  if (event.key === "Escape" && !document.querySelector("dialog[open], :popover-open")) closePeek();
  if (!on || field || event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (prefix) {
    prefix = "";
    const link = document.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
    if (link) {
      event.preventDefault();
      link.click();
    }
    return;
  }
  const act = ACTS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
