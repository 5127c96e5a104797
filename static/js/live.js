/* One event stream per page. htmx's extension reads it; this opens it, watches its beat and says how old the page is. */
const STALE_MS = 30000;
const POLL_MS = 5000;
const GAP_MS = 2000;
const live = () => document.getElementById("live");
const panels = () => document.querySelectorAll("[data-refresh]");
const seen = new WeakMap();
const state = { heardAt: Date.now(), lastId: "", attempt: 0, retryAt: 0, isOpen: false, isOpening: false, isPaused: false, hasMissed: false, isPolling: false, polledAt: 0, askedAt: 0 };

// Hint, then fetch: an element refetches itself at most every two seconds, with jitter so that viewers do not march in step.
function refresh(panel, { forget = false } = {}) {
  if (forget && panel._htmx) delete panel._htmx.ptag;
  const at = seen.get(panel) ?? { last: 0, timer: 0 };
  if (at.timer) return;
  at.timer = setTimeout(() => {
    Object.assign(at, { timer: 0, last: Date.now() });
    if (panel.isConnected) panel.dispatchEvent(new CustomEvent("live-refresh"));
  }, Math.max(0, at.last + GAP_MS - Date.now()) + Math.random() * 300);
  seen.set(panel, at);
}
const resync = () => panels().forEach((panel) => refresh(panel, { forget: true }));

// Asked twice, htmx would queue the second request and open a second stream: one attempt at a time.
function open() {
  const isReady = live()?.hasAttribute("data-htmx-powered");
  if (document.hidden || !isReady || state.isOpen || state.isOpening || state.retryAt > Date.now()) return;
  Object.assign(state, { retryAt: 0, isOpening: true });
  live().dispatchEvent(new CustomEvent("live-open"));
}
function retry() {
  Object.assign(state, { isOpen: false, isOpening: false });
  if (state.retryAt > Date.now()) return;
  const delay = Math.min(15000, 500 * 2 ** state.attempt) * (0.7 + Math.random() * 0.6);
  Object.assign(state, { attempt: state.attempt + 1, retryAt: Date.now() + delay });
  setTimeout(open, delay + 10);
}
// The seal of the stream no longer fits (signed in again, rights changed): ask the page for a fresh element.
async function renew() {
  await htmx.ajax("GET", location.pathname + location.search, { source: live(), target: "#live", swap: "outerHTML" });
  retry();
}
const refused = (status) => ([401, 403].includes(status) ? setTimeout(renew, 300 + Math.random() * 1000) : retry());

document.addEventListener("htmx:config:request", ({ target, detail: { ctx } }) => {
  const cursor = document.querySelector("[data-cursor]")?.dataset.cursor; // how far a growing page is shown
  if (target.id === "live" && state.lastId) ctx.request.headers["Last-Event-ID"] = state.lastId;
  if (target.id === "live" && cursor) ctx.request.headers["Live-Cursor"] = cursor;
});
document.addEventListener("htmx:response:error", ({ target, detail: { ctx } }) => {
  if (target.id !== "live") return;
  const isPage = !ctx.request.action.includes("/live/stream");
  if (isPage && [403, 404].includes(ctx.response.status)) location.reload();
  else if (!isPage) refused(ctx.response.status);
});
document.addEventListener("htmx:error", ({ target }) => target.id === "live" && retry());
document.addEventListener("htmx:sse:error", ({ detail }) => detail.status && refused(detail.status));
document.addEventListener("htmx:sse:close", ({ target, detail }) => target.id === "live" && detail.reason !== "removed" && retry());
document.addEventListener("htmx:sse:after:connection", () => Object.assign(state, { isOpen: true, isOpening: false, retryAt: 0 }));
document.addEventListener("htmx:sse:before:message", (event) => {
  const { message } = event.detail;
  Object.assign(state, { heardAt: Date.now(), attempt: 0, lastId: message.id || state.lastId });
  if (!state.isPaused || message.event === "beat") return;
  state.hasMissed = true;
  event.preventDefault();
});
document.addEventListener("beat", ({ detail }) => { state.isPolling = !JSON.parse(detail.data).live; });
document.addEventListener("resync", resync);
document.addEventListener("hint", ({ detail }) => {
  const named = detail.data.split(" ").map((id) => document.getElementById(id));
  named.filter((panel) => panel?.matches("[data-refresh]")).forEach((panel) => refresh(panel));
});
document.addEventListener("htmx:finally:request", ({ target, detail: { ctx } }) => {
  if (target.matches?.("[data-refresh]") && [200, 304].includes(ctx.response?.status)) state.polledAt = Date.now();
});
document.addEventListener("visibilitychange", open);
document.addEventListener("htmx:after:process", open); // the first element, and a renewed one
document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-live-retry]")) { state.retryAt = 0; open(); resync(); }
  if (!target.closest("#live-pause")) return;
  state.isPaused = !state.isPaused;
  if (!state.isPaused && state.hasMissed) resync();
  state.hasMissed = false;
  show();
});

function show() {
  const now = Date.now();
  // Without a stream the page asks by itself; it is only called polling while the answers come.
  const mustPoll = state.isPolling || (!state.isOpen && state.attempt > 2);
  const isDue = mustPoll && !state.isPaused && !document.hidden && now - state.askedAt > POLL_MS;
  if (isDue) panels().forEach((panel) => refresh(panel));
  if (isDue) state.askedAt = now;
  const isPolling = mustPoll && now - state.polledAt < 3 * POLL_MS;
  const age = now - Math.max(state.heardAt, mustPoll ? state.polledAt : 0);
  document.dispatchEvent(new CustomEvent("live-status", { detail: { ...state, isPolling, age, isStale: age > STALE_MS } }));
}
show();
setInterval(show, 1000);
// htmx begins by a timer, over a slow line before its stream extension has come: then it has passed this element by.
setTimeout(() => (live()?.hasAttribute("data-htmx-powered") ? open() : htmx.process(live())));
