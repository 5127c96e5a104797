/* What floats: dialogs (what is swapped into #dialog opens it, closing empties it), two-step buttons, toasts. */
const sheet = () => document.getElementById("dialog");

function open(dialog) {
  if (!dialog || dialog.open) return;
  dialog.showModal();
  const first = dialog.querySelector("[data-focus], [autofocus], :checked");
  first?.focus();
}

document.addEventListener("htmx:after:swap", (event) => {
  const { ctx } = event.detail;
  if (ctx?.target === sheet() && sheet().childElementCount) open(sheet());
  // A form that came back with errors shows them first.
  if (ctx?.response?.status === 422) document.querySelector("[data-focus][role=alert]")?.focus();
});

document.addEventListener("click", (event) => {
  const { target } = event;
  const opener = target.closest("[data-open]");
  if (opener) {
    opener.closest("[popover]")?.hidePopover();
    open(document.getElementById(opener.dataset.open));
  }
  target.closest("[data-close]")?.closest("dialog")?.close();
  // The scrim belongs to the dialog element itself: a click there closes it.
  if (target.nodeName === "DIALOG") {
    const box = target.getBoundingClientRect();
    const inside = event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    if (!inside) target.close();
  }
});

document.addEventListener("close", (event) => {
  if (event.target === sheet()) sheet().replaceChildren();
}, true);

// A two-step button: the first press asks, the second acts, Esc or leaving it takes it back.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-ask]");
  if (!button || button.dataset.asked !== undefined) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const word = button.textContent;
  button.dataset.asked = "";
  button.dataset.kind = "danger";
  button.textContent = button.dataset.ask;
  const back = () => {
    button.textContent = word;
    button.dataset.kind = "stop";
    delete button.dataset.asked;
  };
  button.addEventListener("blur", back, { once: true });
}, true);

// Toasts go after six seconds, unless somebody is reading them.
function fade(toast) {
  toast.dataset.seen = "";
  let timer = setTimeout(() => toast.remove(), 6000);
  toast.addEventListener("pointerenter", () => clearTimeout(timer));
  toast.addEventListener("focusin", () => clearTimeout(timer));
  toast.addEventListener("pointerleave", () => { timer = setTimeout(() => toast.remove(), 3000); });
}
document.addEventListener("click", ({ target }) => target.closest("[data-dismiss]")?.closest(".toast").remove());
document.addEventListener("htmx:after:swap", () => document.querySelectorAll(".toast:not([data-seen])").forEach(fade));
document.querySelectorAll(".toast").forEach(fade);
