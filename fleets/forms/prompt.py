"""The form that sends an agent another prompt."""

import secrets

from django import forms


class PromptForm(forms.Form):
    """What was typed, and the key by which a second click is known."""

    prompt = forms.CharField(required=False, strip=False)
    form_key = forms.CharField(min_length=16, max_length=64)


def new_form_key() -> str:
    """A key for a fresh form."""
    return secrets.token_urlsafe(24)
