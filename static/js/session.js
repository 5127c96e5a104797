/* A session's page grows while one reads it: new items are appended, grown ones morphed, and the view follows until the reader scrolls up. */
const NEAR_PX = 80;
const list = () => document.querySelector("#transcript[data-follow]");
const jump = () => document.querySelector("[data-jump]");
const state = { isFollowing: false, unseen: 0, isOurs: false };

// The page scrolls in <main> on wide screens and as a whole on narrow ones.
const scroller = () => {
  const main = document.getElementById("main");
  return main.scrollHeight > main.clientHeight + 1 ? main : document.scrollingElement;
};
const isAtEnd = () => {
  const box = scroller();
  return box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
};
function toEnd() {
  state.isOurs = true;
  const box = scroller();
  box.scrollTop = box.scrollHeight;
}
function show() {
  const button = jump();
  if (!button) return;
  button.hidden = !list() || state.isFollowing;
  button.querySelector("span").textContent = state.unseen ? `Latest, ${state.unseen} new` : "Latest";
}
function follow(isFollowing) {
  state.isFollowing = isFollowing;
  if (isFollowing) state.unseen = 0;
  show();
}

// An item that is there already is morphed, so nothing shows twice whatever is sent again.
const partial = (target, swap, html) => `<hx-partial hx-target="#${target}" hx-swap="${swap}">${html}</hx-partial>`;
document.addEventListener("htmx:sse:before:message", ({ detail: { message } }) => {
  if (message.event !== "append") return;
  const { cursor, items } = JSON.parse(message.data);
  const page = list();
  const place = page?.querySelector(".items");
  message.event = "";
  message.data = "";
  if (!place) return;
  const isNew = ({ id }) => !document.getElementById(id);
  state.unseen += items.filter(isNew).length;
  page.dataset.cursor = cursor;
  message.data = items.map((item) => (isNew(item) ? partial(place.id, "beforeend", item.html) : partial(item.id, "outerMorph", item.html))).join("");
});
document.addEventListener("htmx:after:swap", () => {
  if (!list()) return;
  if (state.isFollowing) toEnd();
  follow(state.isFollowing);
});

document.addEventListener("scroll", () => {
  if (state.isOurs) state.isOurs = false;
  else if (list()) follow(isAtEnd());
}, { capture: true, passive: true });
document.addEventListener("click", ({ target }) => {
  if (!target.closest("[data-jump]")) return;
  follow(true);
  toEnd();
});

if (list()?.hasAttribute("data-running") && !location.hash) {
  follow(true);
  toEnd();
} else show();
