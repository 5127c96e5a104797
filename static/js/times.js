/* Keeps every <time data-t> current, in the viewer's zone. The server's beat sets the clock right. */
const RULES = { ago: relative(" ago"), age: relative(""), since: count(1), until: count(-1), clock, "clock-ms": clockMs, moment };
const HOME = document.documentElement.dataset.zone || "UTC";
const AWAY = HOME === "UTC" ? Intl.DateTimeFormat().resolvedOptions().timeZone : "UTC";
let offset = 0;
let zone = localStorage.getItem("zone") === "away" ? AWAY : HOME;
let formats = makeFormats();

function makeFormats() {
  const parts = { timeZone: zone, hourCycle: "h23" };
  return {
    clock: new Intl.DateTimeFormat("en-GB", { ...parts, hour: "2-digit", minute: "2-digit", second: "2-digit" }),
    short: new Intl.DateTimeFormat("en-GB", { ...parts, hour: "2-digit", minute: "2-digit" }),
    day: new Intl.DateTimeFormat("en-GB", { ...parts, day: "numeric", month: "short" }),
    year: new Intl.DateTimeFormat("en-GB", { ...parts, year: "numeric" }),
    name: new Intl.DateTimeFormat("en-GB", { ...parts, timeZoneName: "short" }),
  };
}
function zoneName(date) {
  return formats.name.formatToParts(date).find((part) => part.type === "timeZoneName").value;
}
function clock(date) { return formats.clock.format(date); }
function clockMs(date) { return `${clock(date)}.${String(date.getMilliseconds()).padStart(3, "0")}`; }
function moment(date) { return `${formats.day.format(date)} ${formats.year.format(date)} ${clock(date)} ${zoneName(date)}`; }

function relative(suffix) {
  return (date, seconds) => {
    if (seconds >= 86400) return `${formats.day.format(date)} ${formats.short.format(date)}`;
    for (const [unit, size] of [["h", 3600], ["min", 60]]) {
      if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}${suffix}`;
    }
    return `${Math.max(0, Math.floor(seconds))} s${suffix}`;
  };
}
function count(direction) {
  return (date, elapsed) => {
    const s = Math.max(0, Math.floor(elapsed * direction));
    const two = (n) => String(n).padStart(2, "0");
    if (s < 60) return `${s} s`;
    if (s < 3600) return `${Math.floor(s / 60)} m ${two(s % 60)} s`;
    if (s < 86400) return `${Math.floor(s / 3600)} h ${two(Math.floor((s % 3600) / 60))} m`;
    return `${Math.floor(s / 86400)} d ${two(Math.floor((s % 86400) / 3600))} h`;
  };
}

function tick() {
  const now = Date.now() + offset;
  for (const element of document.querySelectorAll("time[data-t]")) {
    const date = new Date(element.dateTime);
    const text = RULES[element.dataset.t]?.(date, (now - date) / 1000);
    if (text && element.textContent !== text) element.textContent = text;
    if (element.dataset.zoned !== zone) {
      element.dataset.zoned = zone;
      element.title = moment(date);
    }
  }
}
function nameZone() {
  const button = document.getElementById("zone");
  if (!button) return;
  const other = zone === HOME ? AWAY : HOME;
  button.textContent = zone === "UTC" ? "UTC" : zoneName(new Date());
  button.title = other === zone ? `Times in ${zone}` : `Times in ${zone}, switch to ${other}`;
}

document.addEventListener("click", (event) => {
  if (!event.target.closest("#zone")) return;
  zone = zone === HOME ? AWAY : HOME;
  localStorage.setItem("zone", zone === HOME ? "home" : "away");
  formats = makeFormats();
  nameZone();
  tick();
});
document.addEventListener("beat", (event) => {
  offset = Date.parse(JSON.parse(event.detail.data).now) - Date.now();
});
document.addEventListener("htmx:after:swap", tick);
nameZone();
tick();
setInterval(() => document.hidden || tick(), 1000);
