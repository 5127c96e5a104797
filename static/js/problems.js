/* What went wrong with something that somebody asked for, beside its cause. What the page asks by itself only ages. */
// A copy of the hidden banner, beside the cause: in an open dialog, else above the page.
function problem(text) {
  const banner = document.getElementById("problem").cloneNode(true);
  banner.removeAttribute("id");
  banner.querySelector("p").textContent = text;
  document.querySelectorAll(".banner[data-problem]:not([id])").forEach((old) => old.remove());
  const place = document.querySelector("dialog[open] .body");
  if (place) place.prepend(banner);
  else document.getElementById("notices").append(banner);
  banner.hidden = false;
}

const isOwn = (element) => Boolean(element?.matches?.("#live, [data-refresh], [data-background]"));
document.addEventListener("htmx:response:error", (event) => {
  const { ctx } = event.detail;
  const { status } = ctx.response;
  // What the page asks by itself says nothing: it is asked again, and the age of the page tells.
  const isTooOld = ctx.response.headers.has("Form-Too-Old");
  if ([401, 422].includes(status) || (isOwn(ctx.sourceElement) && (isTooOld || status > 499))) return;
  const reference = ctx.response.headers.get("X-Request-Id");
  const words = { 403: "This is not allowed for your role.", 404: "This is not there any more.", 429: "Too many requests." };
  if (isTooOld) words[403] = "This page was open for too long. Nothing was sent: press once more.";
  const text = words[status] ?? `The server answered ${status}. Nothing may have happened: look before you repeat it.`;
  problem(reference ? `${text} Reference ${reference}.` : text);
});
document.addEventListener("htmx:error", (event) => {
  const { ctx } = event.detail;
  if (!ctx || isOwn(ctx.sourceElement)) return;
  problem("The server could not be reached. What you asked for may not have arrived: look before you repeat it.");
});
