/* How old the page is: the indicator in the bar, and past 30 s a ribbon and dimmed numbers. */
const STALE_MS = 30000;
const COLOURS = { Live: "healthy", Paused: "held" };
const seconds = (ms) => `${Math.max(0, Math.round(ms / 1000))} s`;
let offset = 0;

// A live stream may tell of old figures: when the platform was read stands beside them (data-read-at). Each is marked by
// itself; the page is as old as the youngest of them.
function readAge() {
  let youngest = Infinity;
  for (const part of document.querySelectorAll("[data-read-at]")) {
    const age = Date.now() + offset - Date.parse(part.dataset.readAt);
    part.toggleAttribute("data-old", age > STALE_MS);
    youngest = Math.min(youngest, age);
  }
  return youngest === Infinity ? 0 : youngest;
}

function words(detail) {
  if (detail.isPaused) return ["Paused", ""];
  if (detail.isPolling) return ["Polling 5 s", seconds(detail.age)];
  if (detail.isOpen) return ["Live", seconds(detail.age)];
  return detail.retryAt ? ["Reconnecting", `in ${seconds(detail.retryAt - Date.now())}`] : ["Connecting", ""];
}

document.addEventListener("beat", ({ detail }) => { offset = Date.parse(JSON.parse(detail.data).now) - Date.now(); });
document.addEventListener("live-status", ({ detail }) => {
  const [word, number] = words(detail);
  const status = document.getElementById("live-status");
  status.dataset.state = COLOURS[word] ?? "stale";
  status.querySelector("b").textContent = word;
  status.querySelector("span").textContent = number;
  document.getElementById("live-pause").setAttribute("aria-pressed", String(detail.isPaused));
  const read = readAge();
  const age = read > STALE_MS ? Math.max(read, detail.age) : detail.age;
  const stale = document.getElementById("stale");
  stale.hidden = age <= STALE_MS;
  document.documentElement.toggleAttribute("data-stale", !stale.hidden);
  Object.assign(stale.querySelector("time"), { dateTime: new Date(Date.now() + offset - age).toISOString() }).dataset.t = "clock";
  stale.querySelector("span").textContent = seconds(age);
});
