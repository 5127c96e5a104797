"""The form of the own account."""

import zoneinfo
from functools import cache

from django import forms

from fleets.models import Theme, User


@cache
def zone_choices() -> list[tuple[str, str]]:
    """UTC first, then every zone of the machine's time zone data that has a place's name."""
    names = sorted(name for name in zoneinfo.available_timezones() if "/" in name)
    places = [name for name in names if not name.startswith(("Etc/", "SystemV/"))]
    return [("UTC", "UTC"), *((name, name.replace("_", " ")) for name in places)]


class PreferencesForm(forms.Form):
    """Zone, theme and shortcuts of one person."""

    time_zone = forms.ChoiceField(
        label="Time zone",
        choices=zone_choices,
        widget=forms.Select(attrs={"class": "select"}),
        help_text="Times are shown in it; every page can switch to UTC.",
    )
    theme = forms.ChoiceField(
        label="Theme", choices=Theme.choices, widget=forms.Select(attrs={"class": "select"})
    )
    shortcuts = forms.BooleanField(
        required=False, widget=forms.CheckboxInput(attrs={"class": "ckbox"})
    )

    @classmethod
    def of(cls, user: User) -> "PreferencesForm":
        """The form as it stands for `user`."""
        return cls(
            initial={
                "time_zone": user.time_zone,
                "theme": user.theme,
                "shortcuts": user.shortcuts,
            }
        )
