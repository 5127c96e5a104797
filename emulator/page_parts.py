"""Pieces of HTML for the emulator's own page; everything that is shown is escaped here."""

from collections.abc import Iterable, Sequence
from html import escape

from emulator.money import usd_text

_LIVELY = {
    "running": "good", "completed": "good", "live": "good", "failed": "bad", "deleted": "dim",
    "revoked": "dim", "ended": "dim", "cancelled": "dim", "expired": "dim", "stopped": "dim",
}  # fmt: skip


class Html(str):
    """Markup that was put together, and escaped, before."""

    __slots__ = ()


def text(value: object) -> str:
    """A value as text for HTML; nothing is a dash."""
    return escape("—" if value is None or value == "" else str(value))


def usd(nusd: int | None) -> str | None:
    """An amount as people read it."""
    return None if nusd is None else f"${usd_text(nusd)}"


def section(name: str, title: str, *parts: str) -> str:
    """A part of the page that a link can name."""
    return f'<section id="{escape(name)}"><h2>{text(title)}</h2>{"".join(parts)}</section>'


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: int = 0) -> str:
    """A table whose last `numbers` columns are figures; without rows a word that says so."""
    first = len(heads) - numbers

    def cells(row: Sequence[object]) -> str:
        return "".join(_cell(one, is_figure=place >= first) for place, one in enumerate(row))

    body = "".join(f"<tr>{cells(row)}</tr>" for row in rows)
    if not body:
        return "<p class=dim>None.</p>"
    head = "".join(
        f'<th scope="col"{" class=figure" if place >= first else ""}>{text(name)}</th>'
        for place, name in enumerate(heads)
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{text(heads[0])}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(value: object, *, is_figure: bool) -> str:
    if isinstance(value, Html):
        return f"<td>{value}</td>"
    kind = "figure" if is_figure else _LIVELY.get(str(value), "")
    if isinstance(value, int) and 400 <= value < 600:
        kind = "bad"
    return f"<td{f' class={kind}' if kind else ''}>{text(value)}</td>"


def field(name: str, label: str, *, value: object = "", hint: str = "") -> str:
    """A labelled input, with what it means below."""
    told = f"<small>{text(hint.replace('`', ''))}</small>" if hint else ""
    return (
        f'<label>{text(label)} <input name="{escape(name)}" value="{escape(str(value))}" '
        f'autocomplete="off">{told}</label>'
    )


def choice(name: str, label: str, options: Iterable[str], *, chosen: str = "") -> str:
    """A labelled list to choose from."""
    inner = "".join(
        f"<option{' selected' if option == chosen else ''}>{text(option)}</option>"
        for option in options
    )
    return f'<label>{text(label)} <select name="{escape(name)}">{inner}</select></label>'


def fold(summary: str, inner: str) -> str:
    """Something to unfold; `inner` is markup."""
    return f"<details><summary>{text(summary)}</summary>{inner}</details>"


def form(action: str, *fields: str, token: str, button: str, kind: str = "row") -> str:
    """A form of the page; the token tells it from one of another site."""
    return (
        f'<form class="{escape(kind)}" method="post" action="/_emulator/page/{escape(action)}">'
        f'<input type="hidden" name="token" value="{escape(token)}">'
        f'{"".join(fields)} <button type="submit">{text(button)}</button></form>'
    )
