"""The own account: open to everybody who is signed in, with a role or without."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from fleetdash import htmx
from fleets.access import signed_in, user_of
from fleets.forms.account import PreferencesForm
from fleets.models import Theme
from fleets.services.actor import Actor
from fleets.services.preferences import set_preferences


@require_http_methods(["GET", "POST"])
@signed_in
def account(request: HttpRequest) -> HttpResponse:
    """Who one is here, and how the pages look."""
    user = user_of(request)
    if request.method == "POST":
        form = PreferencesForm(request.POST)
        if form.is_valid():
            set_preferences(user, actor=Actor.of(request), **form.cleaned_data)
            messages.success(request, "Saved.")
            return htmx.redirect(request, reverse("fleets:account"))
    else:
        form = PreferencesForm.of(user)
    context = {"form": form, "teams": user.teams.all()}
    return htmx.render(request, "account/account.html", context, status=422 if form.errors else 200)


@require_POST
@signed_in
def account_theme(request: HttpRequest) -> HttpResponse:
    """The theme switch of the user menu; goes back to the page it was pressed on."""
    theme = request.POST.get("theme", "")
    if theme in Theme.values:
        set_preferences(user_of(request), actor=Actor.of(request), theme=theme)
    target = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()}):
        target = reverse("fleets:account")
    return htmx.redirect(request, target)
