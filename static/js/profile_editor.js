/* The source of a profile: line numbers beside it, and the way from a problem to its line. */
const source = () => document.getElementById("source");

function number() {
  const gutter = document.getElementById("source-lines");
  if (!gutter) return;
  const count = source().value.split("\n").length;
  if (Number(gutter.dataset.count) === count) return;
  gutter.dataset.count = count;
  gutter.textContent = Array.from({ length: count }, (_, at) => at + 1).join("\n");
}

function follow() {
  document.getElementById("source-lines").scrollTop = source().scrollTop;
}

function goTo(line) {
  const text = source();
  const lines = text.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  text.focus();
  text.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
  text.scrollTop = Math.max(0, (line - 6) * parseFloat(getComputedStyle(text).lineHeight));
  text.scrollIntoView({ block: "nearest" });
}

document.addEventListener("input", ({ target }) => { if (target === source()) number(); });
document.addEventListener("scroll", ({ target }) => { if (target === source()) follow(); }, true);
document.addEventListener("htmx:after:swap", number);
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-line]");
  if (link && source()) {
    event.preventDefault();
    goTo(Number(link.dataset.line));
    return;
  }
  // A problem's field may stand in a closed part of the form.
  const field = event.target.closest('.problems a[href^="#f-"]');
  if (!field) return;
  event.preventDefault();
  const found = document.getElementById(field.hash.slice(1));
  found?.closest("details")?.setAttribute("open", "");
  found?.focus();
});
number();
