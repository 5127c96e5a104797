"""The form that runs a fleet again: over whom, with what message, in which sessions."""

import re
from typing import Final

from django import forms

from fleets.services.run_again import RunAgain

ALL: Final = "all"
NOT_COMPLETED: Final = "not_completed"
ONLY: Final = "only"
MOST_IDS_CHARS: Final = 20_000
_SCOPES: Final = ((ALL, "all"), (NOT_COMPLETED, "not completed"), (ONLY, "only these"))


class RunAgainForm(forms.Form):
    """`spec` is what it orders once it is valid."""

    scope = forms.ChoiceField(
        choices=_SCOPES, error_messages={"required": "Choose over whom it runs."}
    )
    only = forms.CharField(required=False, max_length=MOST_IDS_CHARS)
    prompt = forms.CharField(required=False, strip=False)
    is_fresh = forms.BooleanField(required=False)
    form_key = forms.CharField(min_length=8, max_length=64)

    def clean_only(self) -> tuple[str, ...]:
        """The ids, separated by commas or spaces, each once; needed where only these run."""
        names = ids_in(self.cleaned_data["only"])
        if self.cleaned_data.get("scope") == ONLY and not names:
            raise forms.ValidationError("Name them, separated by commas.")
        return names

    @property
    def order(self) -> RunAgain:
        """What a valid form orders."""
        said = self.cleaned_data
        return RunAgain(
            message=said["prompt"],
            only=said["only"] if said["scope"] == ONLY else (),
            not_completed=said["scope"] == NOT_COMPLETED,
            is_fresh=said["is_fresh"],
        )


def ids_in(text: str) -> tuple[str, ...]:
    """Ids separated by commas or white space, each once, in the order given."""
    return tuple(dict.fromkeys(name for name in re.split(r"[\s,]+", text) if name))
