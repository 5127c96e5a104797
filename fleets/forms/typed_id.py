"""What is asked before something of the catalogs is deleted: its id, typed or pasted, and why."""

from django import forms
from django.core.validators import MaxLengthValidator

from fleets.forms.stop import REASON_LIMIT


class TypedIdForm(forms.Form):
    """The id of the `noun` ("profile", "definition") that bears `slug`, and a reason."""

    typed_name = forms.CharField(
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

    def __init__(self, *args: object, noun: str, slug: str, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.slug = slug
        typed = self.fields["typed_name"]
        typed.label = f"Type the {noun}'s id"
        typed.error_messages["required"] = f"Type the {noun}'s id to delete it."

    def clean_typed_name(self) -> str:
        """Exactly the id."""
        typed: str = self.cleaned_data["typed_name"].strip()
        if typed != self.slug:
            raise forms.ValidationError(f"That is not its id: type {self.slug}.")
        return typed
