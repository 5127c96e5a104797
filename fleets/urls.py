"""Addresses of the app. A URL's name equals its view's."""

from django.urls import path
from django.views.generic import RedirectView

from fleets.views import (
    account,
    afterwards,
    delete,
    fleet_detail,
    fleet_export,
    fleet_list,
    fleet_results,
    health,
    interrupt,
    launch,
    metrics,
    operations,
    profile_acts,
    profile_delete,
    profile_diff,
    profile_edit,
    profile_list,
    profile_page,
    prompt,
    run_again,
    session,
    stop,
)

app_name = "fleets"

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="fleets:fleet_list"), name="home"),
    path("fleets/", fleet_list.fleet_list, name="fleet_list"),
    path("fleets/export", fleet_export.fleet_export, name="fleet_export"),
    path("fleets/new", launch.fleet_new, name="fleet_new"),
    path("fleets/new/preview", launch.fleet_preview, name="fleet_preview"),
    path("fleets/launch", launch.fleet_launch, name="fleet_launch"),
    path("fleets/<str:public_id>", fleet_detail.fleet_detail, name="fleet_detail"),
    path("fleets/<str:public_id>/agents/<str:agent_id>", session.fleet_agent, name="fleet_agent"),
    path(
        "fleets/<str:public_id>/agents/<str:agent_id>/events/<int:turn>/<int:event>",
        session.agent_event,
        name="agent_event",
    ),
    path(
        "fleets/<str:public_id>/agents/<str:agent_id>/events/<int:turn>/<int:event>/text",
        session.agent_event_text,
        name="agent_event_text",
    ),
    path(
        "fleets/<str:public_id>/agents/<str:agent_id>/prompt",
        prompt.agent_prompt,
        name="agent_prompt",
    ),
    path(
        "fleets/<str:public_id>/agents/<str:agent_id>/interrupt",
        interrupt.agent_interrupt,
        name="agent_interrupt",
    ),
    path(
        "fleets/<str:public_id>/results.<str:kind>",
        fleet_results.fleet_results,
        name="fleet_results",
    ),
    path("fleets/<str:public_id>/run-again", run_again.fleet_run_again, name="fleet_run_again"),
    path("fleets/<str:public_id>/stop", stop.fleet_stop, name="fleet_stop"),
    path("fleets/<str:public_id>/hold", stop.fleet_hold, name="fleet_hold"),
    path("fleets/<str:public_id>/release", stop.fleet_release, name="fleet_release"),
    path("fleets/<str:public_id>/cut-off", stop.fleet_cut_off, name="fleet_cut_off"),
    path("fleets/<str:public_id>/reopen", stop.fleet_reopen, name="fleet_reopen"),
    path("fleets/<str:public_id>/cancel", stop.fleet_cancel, name="fleet_cancel"),
    path(
        "fleets/<str:public_id>/machines/stop",
        stop.fleet_stop_machines,
        name="fleet_stop_machines",
    ),
    path("fleets/<str:public_id>/delete", delete.fleet_delete, name="fleet_delete"),
    path("fleets/<str:public_id>/afterwards", afterwards.fleet_afterwards, name="fleet_afterwards"),
    path("profiles/", profile_list.profile_list, name="profile_list"),
    path("profiles/new", profile_edit.profile_new, name="profile_new"),
    path("profiles/<slug:slug>/edit", profile_edit.profile_edit, name="profile_edit"),
    path("profiles/<slug:slug>/look", profile_edit.profile_look, name="profile_look"),
    path("profiles/<slug:slug>/save", profile_edit.profile_save, name="profile_save"),
    path("profiles/<slug:slug>/discard", profile_edit.profile_discard, name="profile_discard"),
    path("profiles/<slug:slug>", profile_page.profile_detail, name="profile_detail"),
    path("profiles/<slug:slug>/diff", profile_diff.profile_diff, name="profile_diff"),
    path("profiles/<slug:slug>/publish", profile_acts.profile_publish, name="profile_publish"),
    path("profiles/<slug:slug>/restore", profile_acts.profile_restore, name="profile_restore"),
    path("profiles/<slug:slug>/label", profile_acts.profile_label, name="profile_label"),
    path("profiles/<slug:slug>/archive", profile_acts.profile_archive, name="profile_archive"),
    path(
        "profiles/<slug:slug>/hand-over", profile_acts.profile_hand_over, name="profile_hand_over"
    ),
    path("profiles/<slug:slug>/delete", profile_delete.profile_delete, name="profile_delete"),
    path("operations/<str:public_id>", operations.operation_detail, name="operation_detail"),
    path("operations/<str:public_id>/retry", operations.operation_retry, name="operation_retry"),
    path("health", health.health, name="health"),
    path("metrics", metrics.metrics, name="metrics"),
    path("account", account.account, name="account"),
    path("account/theme", account.account_theme, name="account_theme"),
]
