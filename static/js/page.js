/* Small things of every page: tab title and picture, copying, the changed tint, the age of what is shown. */
let said = "";
let saidAt = 0;
let stateAt = 0;

function followState() {
  const state = document.getElementById("page-state");
  // Rendered earlier than what was shown already: an answer that was overtaken by a patch.
  if (!state || Number(state.dataset.at) < stateAt) return;
  stateAt = Number(state.dataset.at);
  if (state.dataset.title && document.title !== state.dataset.title) document.title = state.dataset.title;
  const link = document.querySelector("link[rel=icon]");
  if (state.dataset.favicon && link.getAttribute("href") !== state.dataset.favicon) link.href = state.dataset.favicon;
  // One polite summary per ten seconds at most; the latest wins.
  const { summary } = state.dataset;
  if (summary && summary !== said && Date.now() - saidAt > 10000) {
    if (said) document.getElementById("announce").textContent = summary;
    said = summary;
    saidAt = Date.now();
  }
}

// Changed cells of a patched row light up for a moment. Cells that only tick do not count.
const cells = (part) => (part?.matches?.("tr") ? [...part.cells] : part?.matches?.("td, th") ? [part] : [...(part?.querySelectorAll?.("[data-tint]") ?? [])]);
let before = new Map();
document.addEventListener("htmx:before:swap", (event) => {
  before = new Map();
  for (const { type, target } of event.detail.tasks) {
    if (type === "partial") for (const cell of cells(target)) if (!cell.querySelector("time")) before.set(cell, cell.textContent);
  }
});
document.addEventListener("htmx:after:swap", () => {
  for (const [cell, text] of before) {
    if (cell.isConnected && cell.textContent !== text) {
      cell.dataset.changed = "";
      setTimeout(() => delete cell.dataset.changed, 700);
    }
  }
  before = new Map();
  followState();
});

document.addEventListener("click", async (event) => {
  const { target } = event;
  target.closest("[data-hide]")?.closest(".banner").remove();
  const copy = target.closest("[data-copy]");
  if (!copy) return;
  await navigator.clipboard.writeText(copy.dataset.copy || location.href);
  document.getElementById("announce").textContent = "Copied";
});

// What is wrong may stand in a closed part of the form.
document.addEventListener("click", (event) => {
  const link = event.target.closest('.problems a[href^="#"]');
  const found = link && document.getElementById(link.hash.slice(1));
  const closed = found?.closest("details:not([open])");
  if (!closed) return;
  event.preventDefault();
  closed.open = true;
  found.focus();
});

document.addEventListener("live-status", followState);
followState();
