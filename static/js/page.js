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

// How old the page is: the indicator in the bar, and past 30 s a banner and dimmed numbers.
const COLOURS = { Live: "healthy", Paused: "held" };
document.addEventListener("live-status", ({ detail }) => {
  const seconds = (ms) => `${Math.max(0, Math.round(ms / 1000))} s`;
  let [word, number] = ["Live", seconds(detail.age)];
  if (detail.isPaused) [word, number] = ["Paused", ""];
  else if (detail.isPolling) [word, number] = ["Polling 5 s", seconds(detail.age)];
  else if (!detail.isOpen) [word, number] = detail.retryAt ? ["Reconnecting", `in ${seconds(detail.retryAt - Date.now())}`] : ["Connecting", ""];
  const status = document.getElementById("live-status");
  status.dataset.state = COLOURS[word] ?? "stale";
  status.querySelector("b").textContent = word;
  status.querySelector("span").textContent = number;
  document.getElementById("live-pause").setAttribute("aria-pressed", String(detail.isPaused));
  const stale = document.getElementById("stale");
  stale.hidden = !detail.isStale;
  document.documentElement.toggleAttribute("data-stale", detail.isStale);
  const since = new Date(Date.now() - detail.dataAge);
  Object.assign(stale.querySelector("time"), { dateTime: since.toISOString() }).dataset.t = "clock";
  stale.querySelector("span").textContent = seconds(detail.dataAge);
  followState();
});
followState();
