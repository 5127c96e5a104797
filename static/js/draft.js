/* What was typed into a long form stays with this window: it is there again after Back, and after signing in again. */
const form = document.querySelector("form[data-draft]");
const key = `draft:${location.pathname}${location.search}`;
const fields = () => [...form.elements].filter((field) => field.name && !["hidden", "file", "submit", "button"].includes(field.type));
let isTyped = false;

function keep() {
  if (!isTyped) return;
  try {
    sessionStorage.setItem(key, JSON.stringify(fields().map(({ name, value }) => [name, value])));
  } catch { /* too large to be kept: the browser's own memory of the form remains */ }
}

function restore() {
  const isBack = performance.getEntriesByType("navigation")[0]?.type === "back_forward";
  const isUnsent = Boolean(document.querySelector("[data-unsent]"));
  const typed = sessionStorage.getItem(key);
  if (!typed || !(isBack || isUnsent)) return;
  for (const [name, value] of JSON.parse(typed)) if (form.elements[name]) form.elements[name].value = value;
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

if (form) {
  form.addEventListener("input", () => { isTyped = true; });
  addEventListener("submit", keep, true);
  addEventListener("pagehide", keep);
  // htmx listens once the document is ready, and the preflight has to hear what comes back.
  addEventListener("load", () => setTimeout(restore));
}
