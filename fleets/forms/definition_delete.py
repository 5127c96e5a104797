"""What is asked before a definition is deleted."""

from django import forms
from django.core.validators import MaxLengthValidator

from fleets.forms.stop import REASON_LIMIT


class DeleteDefinitionForm(forms.Form):
    """Why, and the definition's id typed (or pasted)."""

    typed_name = forms.CharField(
        label="Type the definition's id",
        error_messages={"required": "Type the definition's id to delete it."},
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
