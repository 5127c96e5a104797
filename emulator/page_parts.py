"""Pieces of HTML for the emulator's own page; everything that is shown is escaped here."""

from collections.abc import Iterable, Sequence
from html import escape

from emulator.money import usd_text


def text(value: object) -> str:
    """A value as text for HTML; nothing is a dash."""
    return escape("—" if value is None or value == "" else str(value))


def usd(nusd: int | None) -> str | None:
    """An amount as people read it."""
    return None if nusd is None else f"${usd_text(nusd)}"


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a caption; without rows one sentence that says so."""
    body = "".join(
        "<tr>" + "".join(f"<td>{text(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    if not body:
        return f"<h2>{text(caption)}</h2><p>None.</p>"
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in heads)
    return (
        f"<h2>{text(caption)}</h2><div class=wide><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def field(name: str, label: str, *, value: object = "", kind: str = "text") -> str:
    """A labelled input."""
    return (
        f'<label>{text(label)} <input name="{escape(name)}" type="{escape(kind)}" '
        f'value="{escape(str(value))}" step="any"></label>'
    )


def choice(name: str, label: str, options: Iterable[str]) -> str:
    """A labelled list to choose from."""
    inner = "".join(f"<option>{text(option)}</option>" for option in options)
    return f'<label>{text(label)} <select name="{escape(name)}">{inner}</select></label>'


def form(action: str, *fields: str, token: str, button: str) -> str:
    """A form of the page; the token tells it from one of another site."""
    return (
        f'<form method="post" action="/_emulator/page/{escape(action)}">'
        f'<input type="hidden" name="token" value="{escape(token)}">'
        f'{"".join(fields)} <button type="submit">{text(button)}</button></form>'
    )


STYLE = """\
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { margin: 1rem auto; max-width: 76rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #8886; padding: .2rem .8rem .2rem 0; text-align: left; }
td { vertical-align: top; max-width: 32rem; overflow-wrap: anywhere; }
form { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin: .5rem 0; }
label { display: grid; font-size: .85rem; } input, select { font: inherit; max-width: 12rem; }
[role=alert] { border-left: 4px solid #c33; padding: .3rem .8rem; }
"""
