"""The page's style sheet, a file of its own because its policy allows no other."""

STYLE = """\
:root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif;
  --line: #8884; --dim: light-dark(#5b6470, #9aa4b2); --card: light-dark(#f6f7f9, #1b1f26);
  --good: light-dark(#1c6b3c, #6fd08c); --bad: light-dark(#b3261e, #ff8a80); }
body { margin: 0 auto; max-width: 86rem; padding: 0 1rem 3rem;
  background: light-dark(#fff, #12151a); }
header { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: .3rem 1.2rem;
  align-items: baseline; padding: .6rem 0; border-bottom: 1px solid var(--line);
  background: light-dark(#fff, #12151a); z-index: 1; }
h1 { font-size: 1.15rem; margin: 0; } nav { display: flex; flex-wrap: wrap; gap: .2rem .9rem; }
.again { margin-left: auto; } a { color: light-dark(#1d4ed8, #8ab4ff); }
section { scroll-margin-top: 4rem; margin-top: 1.4rem; padding: .9rem 1rem 1rem;
  border: 1px solid var(--line); border-radius: 8px; }
h2 { font-size: 1rem; margin: 0 0 .6rem; } h3 { font-size: .9rem; margin: 1rem 0 .3rem; }
.wide { overflow-x: auto; margin-bottom: .6rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap; }
th, td { border-bottom: 1px solid var(--line); padding: .22rem 1rem .22rem 0; text-align: left;
  vertical-align: top; }
th { color: var(--dim); font-weight: 500; } .figure { text-align: right; }
.good { color: var(--good); } .bad { color: var(--bad); } .dim, small { color: var(--dim); }
pre { margin: .3rem 0; max-width: 48rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.row { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: end; margin: .4rem 0; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr));
  gap: .7rem 1rem; align-items: start; margin: .6rem 0; }
.grid button { justify-self: start; align-self: end; }
label { display: grid; gap: .1rem; font-size: .85rem; } small { line-height: 1.25; }
input, select, button { font: inherit; padding: .2rem .4rem; min-height: 1.9rem; }
.row label { max-width: 16rem; } summary { cursor: pointer; min-height: 1.5rem; }
details { margin: .2rem 0; } td details { margin: 0; } td summary { min-height: 0; }
[role=alert] { border-left: 4px solid var(--bad); padding: .3rem .8rem; }
"""
