"""What is asked of every page: each question returns what is wrong, nothing when all is well."""

from collections.abc import Sequence
from typing import Any, Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

NARROW_PX: Final = (320, 720)
MOST_TABS: Final = 250

# What the other look of a page can change: its colours, and nothing else that axe asks about.
COLOURS: Final = ("color-contrast", "link-in-text-block")

_axe = Axe()


def accessibility(page: Page, *, rules: Sequence[str] = ()) -> list[str]:
    """Violations of axe's rules (all, unless some are named), as `rule: place`."""
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    found: dict[str, Any] = _axe.run(page, options=options).response
    return [
        f"axe {violation['id']}: {node['target'][0]}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]


def sideways(page: Page) -> list[str]:
    """Elements that make a narrow page scroll sideways."""
    wide: list[str] = page.evaluate(
        """() => {
          const limit = document.documentElement.clientWidth;
          if (document.documentElement.scrollWidth <= limit) return [];
          return [...document.body.querySelectorAll("*")]
            .filter((one) => one.getBoundingClientRect().right > limit + 1)
            .slice(0, 5)
            .map((one) => `${one.tagName.toLowerCase()}#${one.id}.${one.className}`);
        }"""
    )
    return [f"wider than {NARROW_PX[0]} px: {one}" for one in wide]


def keyboard(page: Page) -> list[str]:
    """Controls that Tab never reaches, and those whose focus cannot be seen."""
    expected: int = page.evaluate(_MARK)
    reached: set[int] = set()
    wrong: list[str] = []
    for _ in range(min(MOST_TABS, expected + 5)):
        _tab(page)
        place, name, is_seen = page.evaluate(_FOCUSED)
        if place in reached:
            break
        if place >= 0:
            reached.add(place)
        if name and not is_seen:
            wrong.append(f"focus cannot be seen: {name}")
    if expected <= MOST_TABS:
        lost: list[str] = page.evaluate(_LOST, sorted(reached))
        wrong += [f"Tab never reaches: {name}" for name in lost]
    return wrong


def _tab(page: Page) -> None:
    """Go on by Tab; out of an editor, where Tab indents, as its label says."""
    if page.evaluate("document.activeElement.localName") == "source-editor":
        page.keyboard.press("Escape")
    page.keyboard.press("Tab")


def covered(page: Page) -> list[str]:
    """Controls of the page that lie under something else, or off it, once Tab has reached them."""
    wrong: list[str] = []
    seen: set[str] = set()
    for _ in range(MOST_TABS):
        _tab(page)
        name, over = page.evaluate(_FREE)
        if name in seen or not name:
            break
        seen.add(name)
        if over:
            wrong.append(f"{name} lies under {over}")
    return wrong


def small(page: Page) -> list[str]:
    """Controls that cannot be hit within 24 by 24 px, but for links within a sentence."""
    found: list[str] = page.evaluate(_SMALL)
    return [f"smaller than 24 px: {one}" for one in found]


def readable(page: Page) -> list[str]:
    """What a page without scripts lacks: a heading, words, a way on."""
    wrong = []
    if not page.locator("h1").first.is_visible():
        wrong.append("no heading without scripts")
    if len(page.locator("body").inner_text().split()) < 5:
        wrong.append("no words without scripts")
    if page.locator("a[href], form[method=post] button").count() == 0:
        wrong.append("no way on without scripts")
    return wrong


# Everything that Tab should stop at: within an open dialog, and of radio buttons the chosen one.
_MARK = """() => {
  const all = (document.querySelector("dialog:modal") ?? document).querySelectorAll(
    "a[href], button, input, select, textarea, summary, [tabindex='0']");
  const groups = new Set();
  window.__controls = [...all].filter((one) => {
    if (one.disabled || one.tabIndex < 0 || one.closest("[inert]")) return false;
    if (!one.checkVisibility({ visibilityProperty: true })) return false;
    if (one.type !== "radio") return true;
    const group = document.querySelectorAll(`input[name="${CSS.escape(one.name)}"]`);
    const chosen = [...group].find((each) => each.checked);
    if (chosen) return chosen === one;
    const isFirst = !groups.has(one.name);
    groups.add(one.name);
    return isFirst;
  });
  const style = (each) => {
    const { outline, boxShadow, stroke, strokeWidth } = getComputedStyle(each);
    return [outline, boxShadow, stroke, strokeWidth].join();
  };
  window.__look = (one) =>
    [one, one.firstElementChild, one.nextElementSibling, one.parentElement,
     one.parentElement.parentElement].filter(Boolean).map(style).join("; ");
  document.activeElement?.blur?.();
  window.__looks = window.__controls.map(window.__look);
  document.getSelection()?.removeAllRanges();
  return window.__controls.length;
}"""

# Seen is what an element, its frame or its picture shows in another way than before.
_FOCUSED = """() => {
  const one = document.activeElement;
  if (!one || one === document.body) return [-1, "", true];
  const place = window.__controls.indexOf(one);
  const name = `${one.tagName.toLowerCase()} ${one.id || one.textContent.trim().slice(0, 40)}`;
  const before = window.__looks[place];
  return [place, name, place < 0 || window.__look(one) !== before];
}"""

_FREE = """() => {
  const one = document.activeElement;
  if (!one || one === document.body) return ["", ""];
  const box = one.getBoundingClientRect();
  // The middle of the part that is within the window: some of it has to be seen, not all.
  const middle = (from, to, limit) => (Math.max(0, from) + Math.min(limit, to)) / 2;
  const top = document.elementFromPoint(
    middle(box.left, box.right, innerWidth), middle(box.top, box.bottom, innerHeight));
  const name = `${one.tagName.toLowerCase()} ${one.id || one.textContent.trim().slice(0, 40)}`;
  const isFree = top && (one.contains(top) || top.contains(one));
  const over = top ? `${top.tagName.toLowerCase()}#${top.id}.${top.classList}` : "the edge";
  return [`${name} ${Math.round(box.y + scrollY)}`, isFree ? "" : over];
}"""

# A target is as large as the square around its middle that belongs to it or to its label.
_SMALL = """() => {
  const all = (document.querySelector("dialog:modal") ?? document).querySelectorAll(
    "a[href], button, input, select, textarea, summary");
  const isShown = (one) =>
    one.checkVisibility({ visibilityProperty: true }) && !one.disabled && one.tabIndex >= 0;
  const isInText = (one) => one.matches("p a, li a, dd a, dt a, .meta a, td a:not(.name)");
  return [...all].filter((one) => isShown(one) && !isInText(one)).filter((one) => {
    one.scrollIntoView({ block: "center", inline: "center" });
    const { x, y, width, height } = one.getBoundingClientRect();
    if (width < 2 || (width >= 24 && height >= 24)) return false;
    const owners = [one, ...(one.labels ?? [])];
    const hits = (dx, dy) => {
      const top = document.elementFromPoint(x + width / 2 + dx, y + height / 2 + dy);
      return top && owners.some((owner) => owner.contains(top));
    };
    const reach = (size) => (size >= 24 ? 0 : 11);
    const [across, down] = [reach(width), reach(height)];
    return ![[-across, 0], [across, 0], [0, -down], [0, down]].every(([dx, dy]) => hits(dx, dy));
  }).map((one) => {
    const { width, height } = one.getBoundingClientRect();
    const name = one.id || one.textContent.trim().slice(0, 30);
    return `${one.tagName.toLowerCase()} ${name} ${Math.round(width)}x${Math.round(height)}`;
  });
}"""

_LOST = """(reached) => window.__controls
  .filter((one, place) => !reached.includes(place) && one.isConnected)
  .map((one) => `${one.tagName.toLowerCase()} ${one.id || one.textContent.trim().slice(0, 40)}`)
"""
