/* What was typed into a long form stays with this window: it is there again after Back, and after signing in again. */
const form = document.querySelector("form[data-draft]");
const key = `draft:${location.pathname}${location.search}`;
// A refused form stands at another address than an empty one; both are sent to the same.
const sentKey = `sent:${form?.getAttribute("action")}`;
const fields = () => [...form.elements].filter((field) => field.name && !["hidden", "file", "submit", "button"].includes(field.type));
let isTyped = false;

function keep({ type }) {
  if (!isTyped && type !== "submit") return;
  const typed = fields().map(({ name, value, type, checked }) => [name, /checkbox|radio/.test(type) ? checked : value]);
  try {
    sessionStorage.setItem(type === "submit" ? sentKey : key, JSON.stringify(typed));
  } catch { /* too large to be kept: the browser's own memory of the form remains */ }
}

function restore() {
  const isBack = performance.getEntriesByType("navigation")[0]?.type === "back_forward";
  const isUnsent = Boolean(document.querySelector("[data-unsent]"));
  const typed = (isUnsent && sessionStorage.getItem(sentKey)) || ((isBack || isUnsent) && sessionStorage.getItem(key));
  if (!typed) return;
  const left = fields();
  for (const [name, value] of JSON.parse(typed)) {
    const at = left.findIndex((field) => field.name === name);
    const [field] = at < 0 ? [] : left.splice(at, 1);
    if (typeof value === "boolean" && field) field.checked = value;
    else if (field) field.value = value;
  }
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

if (form) {
  form.addEventListener("input", () => { isTyped = true; });
  addEventListener("submit", keep, true);
  addEventListener("pagehide", keep);
  // htmx listens once the document is ready, and the preflight has to hear what comes back.
  addEventListener("load", () => setTimeout(restore));
}
