"""The forms of the stop sheet: a reason always, a typed name to delete."""

from typing import Final

from django import forms
from django.core.validators import MaxLengthValidator

from fleets.domain.duration_input import parse_duration_s
from fleets.domain.errors import InvalidInput
from fleets.domain.spec import MAX_AFTER_DELAY_S
from fleets.domain.status import Afterwards

REASON_LIMIT: Final = 300


class StopForm(forms.Form):
    """Why, how strongly, and whether the machines stop too."""

    strength = forms.CharField(required=False, max_length=20)
    reason = forms.CharField(
        max_length=REASON_LIMIT,
        error_messages={
            "required": "A reason is missing: say in a few words why.",
            "max_length": f"A reason has at most {REASON_LIMIT} signs.",
        },
        widget=forms.TextInput(attrs={"class": "input", "autocomplete": "off"}),
    )
    stop_machines = forms.BooleanField(required=False)
    only_this = forms.BooleanField(required=False)


class DeleteForm(forms.Form):
    """Why, and the fleet's name typed (or pasted)."""

    typed_name = forms.CharField(
        label="Type the fleet's name",
        error_messages={"required": "Type the fleet's name to delete it."},
        validators=[MaxLengthValidator(80)],
        widget=forms.TextInput(
            attrs={"class": "input", "autocomplete": "off", "spellcheck": "false"}
        ),
    )
    reason = forms.CharField(
        max_length=REASON_LIMIT,
        error_messages={"required": "A reason is missing: say in a few words why."},
        widget=forms.TextInput(attrs={"class": "input", "autocomplete": "off"}),
    )


class AfterwardsForm(forms.Form):
    """What becomes of the machines; the delay is left as it is where none is given."""

    after = forms.ChoiceField(
        choices=[(word.value, word.value) for word in Afterwards],
        error_messages=dict.fromkeys(
            ("required", "invalid_choice"),
            f"Afterwards is one of {', '.join(word.value for word in Afterwards)}.",
        ),
    )
    delay = forms.CharField(required=False)

    def clean_delay(self) -> int | None:
        """Whole seconds; a bare number counts minutes."""
        text: str = self.cleaned_data["delay"]
        if not text:
            return None
        try:
            return parse_duration_s(text, place="delay", least_s=0, most_s=MAX_AFTER_DELAY_S)
        except InvalidInput as error:
            raise forms.ValidationError(error.message) from None
