/* A tree of links by the keyboard: one of them is in the tab order, arrows go through what is shown. */
const items = (tree) => [...tree.querySelectorAll("[role=treeitem]")];
const level = (item) => Number(item.getAttribute("aria-level"));

function enter(tree) {
  const all = items(tree);
  const first = all.find((item) => item.hasAttribute("aria-current")) ?? all[0];
  for (const item of all) item.tabIndex = item === first ? 0 : -1;
}

function go(tree, to) {
  if (!to) return;
  for (const item of items(tree)) item.tabIndex = item === to ? 0 : -1;
  to.focus();
}

const MOVES = {
  ArrowDown: (all, at) => all[at + 1],
  ArrowUp: (all, at) => all[at - 1],
  Home: (all) => all[0],
  End: (all) => all[all.length - 1],
  ArrowLeft: (all, at) => all.slice(0, at).reverse().find((item) => level(item) < level(all[at])),
  ArrowRight: (all, at) => (all[at + 1] && level(all[at + 1]) > level(all[at]) ? all[at + 1] : undefined),
};

document.addEventListener("keydown", (event) => {
  const tree = event.target.closest?.("[data-tree]");
  const move = MOVES[event.key];
  if (!tree || !move || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const all = items(tree);
  go(tree, move(all, all.indexOf(event.target)));
});

const start = () => document.querySelectorAll("[data-tree]").forEach(enter);
document.addEventListener("htmx:after:swap", start);
start();
