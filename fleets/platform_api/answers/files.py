"""A file of a machine (contract 2.4)."""

from typing import Any

from fleets.platform_api.fields import FieldError, unwrap


def parse_content(body: Any, /) -> str:
    """`{data:{content}}`; an empty file is text too. Raises FieldError."""
    content = unwrap(body, "data").body.get("content")
    if not isinstance(content, str):
        raise FieldError("answer.data.content", "expected text")
    return content
