"""The one renderer: a fragment when HTMX asked for one the view allows, else the whole page.

The browser never chooses: it names its target, and the view says which targets it serves. The id of
a target is the name of its partial (`{% partialdef rows inline %}<tbody id="rows">…`).
"""

import hashlib
import re
from collections.abc import Collection, Mapping
from typing import Any, Final
from urllib.parse import unquote

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.utils.cache import patch_cache_control, patch_vary_headers

from fleets.live.fragments import Partial

_HALF: Final = re.compile(r"[\ud800-\udfff]")

Fragments = Collection[str] | Mapping[str, str]


def target_id(request: HttpRequest) -> str:
    """Id of the element HTMX wants to fill, "" without one. htmx 4 sends `div#machine-table`."""
    raw = request.headers.get("HX-Target", "")
    return unquote(raw.partition("#")[2] if "#" in raw else raw)


def fragment_for(request: HttpRequest, fragments: Fragments) -> str | None:
    """The partial to send, or None for the whole page; a view may load less when it is not None.

    Boosted requests and history restores always get the whole page.
    """
    headers = request.headers
    if headers.get("HX-Request") != "true" or headers.get("HX-Boosted") == "true":
        return None
    if headers.get("HX-History-Restore-Request") == "true":
        return None
    wanted = target_id(request)
    if wanted not in fragments:
        return None
    return fragments[wanted] if isinstance(fragments, Mapping) else wanted


def render(
    request: HttpRequest,
    template: str,
    context: dict[str, Any] | None = None,
    *,
    fragments: Fragments = (),
    oob: Collection[str] = (),
    status: int = 200,
) -> HttpResponse:
    """Answer with the fragment that was asked for, or with the page.

    `fragments`: the allowed target ids, or a mapping of target id to partial name (a name with a
    slash is a template of its own). `oob`: partials of the same template that go along with any
    fragment; each replaces the element with its own id. A repeated poll whose content has not
    changed is answered 304 (`HX-PTag`).
    """
    partial = _live_element(request, context) or fragment_for(request, fragments)
    if partial is None:
        content = str(render_to_string(template, context, request))
    else:
        content = str(_partial(template, partial, context, request))
        for name in oob:
            content += as_partial(name, _partial(template, name, context, request))
    response = HttpResponse(_sendable(content), status=status)
    if partial is not None and status == 200 and request.method == "GET":
        response = _unless_unchanged(request, response)
    return _uncached(response)


def _sendable(content: str) -> bytes:
    """In UTF-8. Half a character, which an escape in JSON can make, is shown as what it is."""
    try:
        return content.encode()
    except UnicodeEncodeError:
        return _HALF.sub("\ufffd", content).encode()


def redirect(request: HttpRequest, url: str) -> HttpResponse:
    """Send the browser to `url`: a plain redirect, or `HX-Redirect` when HTMX asked."""
    if request.headers.get("HX-Request") == "true":
        return _uncached(HttpResponse(status=204, headers={"HX-Redirect": url}))
    return _uncached(HttpResponseRedirect(url, status=303))


def as_partial(target: str, html: str, swap: str = "outerMorph") -> str:
    """Wrap HTML that replaces `#target`, for an answer put together by hand."""
    return Partial(target, html, swap).markup()


def _live_element(request: HttpRequest, context: dict[str, Any] | None) -> str | None:
    # Every live page renders the address of its stream anew when the seal no longer fits.
    if context and "live" in context:
        return fragment_for(request, {"live": "includes/_live.html"})
    return None


def _partial(template: str, name: str, context: dict[str, Any] | None, request: HttpRequest) -> str:
    source = name if "/" in name else f"{template}#{name}"
    return render_to_string(source, context, request).strip()


def _unless_unchanged(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    tag = hashlib.blake2b(response.content, digest_size=12).hexdigest()
    if request.headers.get("HX-PTag") == tag:
        response = HttpResponse(status=304)
    response.headers["HX-PTag"] = tag
    return response


def _uncached(response: HttpResponse) -> HttpResponse:
    # A fragment and its page share an address: neither may be taken for the other from a cache.
    patch_vary_headers(response, ["HX-Request", "HX-Target", "Cookie"])
    patch_cache_control(response, no_store=True)
    return response
