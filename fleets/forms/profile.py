"""The forms of a profile's acts."""

from django import forms
from django.core.validators import MaxLengthValidator

from fleets.forms.stop import REASON_LIMIT


class DeleteProfileForm(forms.Form):
    """Why, and the profile's id typed (or pasted)."""

    typed_name = forms.CharField(
        label="Type the profile's id",
        error_messages={"required": "Type the profile's id to delete it."},
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

    def __init__(self, *args: object, slug: str, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.slug = slug

    def clean_typed_name(self) -> str:
        """Exactly the id."""
        typed: str = self.cleaned_data["typed_name"].strip()
        if typed != self.slug:
            raise forms.ValidationError(f"That is not its id: type {self.slug}.")
        return typed
