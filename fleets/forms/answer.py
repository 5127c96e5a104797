"""What a good answer is, as fields of a form: a launch asks it, and so does an example."""

from typing import Any

from django import forms

from fleets.domain.answer_check import CheckKind, Shape

SHAPE_CHOICES = (
    (Shape.TEXT.value, "text"),
    (Shape.JSON.value, "JSON"),
    (Shape.JSON_SCHEMA.value, "JSON that fits a schema"),
)
CHECK_CHOICES = (
    (CheckKind.NONE.value, "none"),
    (CheckKind.NOT_EMPTY.value, "it is not empty"),
    (CheckKind.MATCHES.value, "it matches a pattern"),
    (CheckKind.FIELD_EQUALS.value, "a field of it equals a value"),
    (CheckKind.COMMAND.value, "a command on the machine exits 0"),
    (CheckKind.PERSON.value, "a person accepts it"),
)


def typed_text(label: str, *, help_text: str = "", **attrs: str) -> forms.CharField:
    """A line that is kept as it was typed.

    Whether it is needed, and its bounds, are rules of the domain: one place, one message.
    """
    attrs = {"class": "input", **attrs}
    widget = forms.TextInput(attrs={name: value for name, value in attrs.items() if value})
    return forms.CharField(label=label, required=False, widget=widget, help_text=help_text)


def chosen_text(label: str, *, help_text: str = "") -> forms.CharField:
    """A choice that is kept as it was sent; what it may be is a rule of the domain."""
    widget = forms.Select(attrs={"class": "select"})
    return forms.CharField(label=label, required=False, widget=widget, help_text=help_text)


class AnswerForm(forms.Form):
    """The fields that `domain.answer_fields` reads."""

    answer_shape = chosen_text("Shape")
    answer_schema = forms.CharField(
        label="JSON Schema",
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={"class": "input mono", "rows": "6", "spellcheck": "false", "wrap": "off"}
        ),
    )
    answer_check = chosen_text("Check")
    answer_pattern = typed_text(
        "Pattern", help_text="a regular expression, somewhere in the answer"
    )
    answer_field = typed_text("Field", help_text="such as status, or items.0.name")
    answer_value = typed_text("Value", help_text="JSON, or text as it stands")
    answer_command = typed_text(
        "Command", help_text="on the agent's machine, where it worked; 60 s"
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        offered = {"answer_shape": SHAPE_CHOICES, "answer_check": CHECK_CHOICES}
        for field, choices in offered.items():
            widget = self.fields[field].widget
            assert isinstance(widget, forms.Select)
            widget.choices = choices

    @property
    def asks_of_answers(self) -> bool:
        """Whether anything is asked of an answer, by what stands in the fields now."""
        shape, check = (self[name].value() for name in ("answer_shape", "answer_check"))
        return bool(check) or (shape or Shape.TEXT.value) != Shape.TEXT.value
