/* A session that ends under an open page: nothing navigates by itself, nothing typed is lost, and a newer seal is taken over. */
const IS_READ = /^(GET|HEAD)$/i;
const seal = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1];
const isBackground = (element) => Boolean(element?.matches?.("#live, [data-refresh], [data-background]"));
const banner = () => document.getElementById("signed-out");

// In an open dialog the page behind it cannot be seen: the banner goes where the eyes are.
function tell() {
  const place = document.querySelector("dialog[open] .body") ?? document.getElementById("notices");
  const copy = banner().cloneNode(true);
  copy.id = "";
  copy.dataset.signedOut = "";
  copy.hidden = false;
  if (!place.querySelector("[data-signed-out]")) place.prepend(copy);
}

// Signing in in another tab brings a new seal; the one this page was made with no longer fits.
function renew() {
  const value = seal();
  if (value) document.querySelectorAll("input[name=csrfmiddlewaretoken]").forEach((field) => { field.value = value; });
  return value;
}

document.addEventListener("submit", renew, true);
document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
  const { request, sourceElement } = ctx;
  const value = renew();
  if (value) request.headers["X-CSRFToken"] = value;
  if (value && request.body?.has?.("csrfmiddlewaretoken")) request.body.set("csrfmiddlewaretoken", value);
  if (isBackground(sourceElement) || !IS_READ.test(request.method)) request.headers["Page-Stays"] = "true";
});
document.addEventListener("htmx:response:error", ({ detail: { ctx } }) => {
  if (ctx.response.status === 401 && !ctx.request.action.includes("/live/stream")) tell();
});
document.addEventListener("htmx:after:request", ({ detail: { ctx } }) => {
  const isPage = ctx.response && !ctx.request.action.includes("/live/stream");
  if (isPage && ctx.response.status < 400) document.querySelectorAll("[data-signed-out]").forEach((old) => old.remove());
});
