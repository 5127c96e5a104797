/* Rows chosen by their boxes: how many there are, all of a page at once, none after the list was filtered anew. */
const boxes = () => [...document.querySelectorAll("[data-pick]")];

function say() {
  const all = boxes();
  const count = all.filter((box) => box.checked).length;
  const words = document.querySelector("[data-picked]");
  if (words) words.textContent = `${count} chosen`;
  const whole = document.querySelector("[data-pick-all]");
  if (!whole) return;
  whole.hidden = false;
  whole.checked = count > 0 && count === all.length;
  whole.indeterminate = count > 0 && count < all.length;
}

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-pick-all]")) for (const box of boxes()) box.checked = event.target.checked;
  if (event.target.matches("[data-pick-all], [data-pick]")) say();
});
document.addEventListener("reset", () => setTimeout(say));
document.addEventListener("htmx:after:swap", () => {
  for (const box of boxes()) box.checked = false;
  say();
});
say();
