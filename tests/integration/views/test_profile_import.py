"""The pages of import and export, as plain forms."""

import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from fleets.models import Profile, ProfileDraft, ProfileImport
from tests.factories import ProfileFactory
from tests.integration.cast import Cast

pytestmark = pytest.mark.django_db

KEY = "sk-" + "live-8f3a9c1d2e4b"
READ = reverse("fleets:profile_import_read")


@pytest.fixture
def operator() -> Client:
    return Cast.gather().client("operator")


def test_pasted_text_goes_on_to_its_preview_and_then_into_the_catalog(operator: Client) -> None:
    answer = operator.post(READ, {"text": "name: Poet\nharness: opencode\n"})
    assert answer.status_code == 303
    page = operator.get(answer.headers["Location"])
    assert "poet" in page.content.decode()
    confirm = f"{answer.headers['Location']}/confirm"
    done = operator.post(confirm, {"take": "0", "publish": "draft"}, follow=True)
    assert "Imported" in done.content.decode()
    assert Profile.objects.get(slug="poet").head is None
    again = operator.post(confirm, {"take": "0"}, follow=True)
    assert "imported already" in again.content.decode()


def test_a_preview_is_the_persons_own_and_the_admins() -> None:
    cast = Cast.gather()
    path = cast.client("operator").post(READ, {"text": "name: a"}).headers["Location"]
    cast.expect(path, "GET", {"admin": 200, "operator": 200, "viewer": 403, "stranger": 404})
    path = cast.client("admin").post(READ, {"text": "name: a"}).headers["Location"]
    cast.expect(path, "GET", {"admin": 200, "operator": 404, "viewer": 403, "stranger": 404})


def test_a_folder_is_read_with_the_paths_that_came_beside_it(operator: Client) -> None:
    files = [
        SimpleUploadedFile("a.md", b"---\nname: a\n---\nx"),
        SimpleUploadedFile("b.bin", b"\0"),
    ]
    data = {"folder": files, "paths": [".claude/agents/a.md", ".claude/b.bin"]}
    answer = operator.post(READ, data, follow=True)
    text = answer.content.decode()
    assert ".claude/agents/a.md" in text
    assert ".claude/b.bin" in text
    assert "claude-code" in ProfileImport.objects.get().found


def test_an_archive_is_read(operator: Client) -> None:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as archive:
        archive.writestr("../evil.md", "x")
        archive.writestr("good.json", "{}")
    answer = operator.post(
        READ, {"files": SimpleUploadedFile("a.zip", into.getvalue())}, follow=True
    )
    text = answer.content.decode()
    assert "leads out of the folder" in text
    assert 'value="0"' in text


def test_losses_are_accepted_by_a_tick_and_a_refusal_keeps_the_ticks(operator: Client) -> None:
    first = operator.post(READ, {"text": "---\nname: judge\npermissionMode: plan\n---\nx"})
    confirm = f"{first.headers['Location']}/confirm"
    refused = operator.post(confirm, {"take": "0", "note": "kept"})
    text = refused.content.decode()
    assert refused.status_code == 422
    assert "accept what would be lost" in text
    assert 'value="kept"' in text
    assert operator.post(confirm, {"take": "0", "accept": "0"}).status_code == 303
    assert Profile.objects.filter(slug="judge").exists()


def test_nothing_chosen_is_said_and_discarding_forgets(operator: Client) -> None:
    assert operator.post(READ, {"text": " "}).status_code == 422
    assert operator.post(READ, {"text": "x: 1", "catalog": "none"}).status_code == 422
    answer = operator.post(READ, {"text": "name: a"})
    assert operator.post(f"{answer.headers['Location']}/confirm", {}).status_code == 422
    operator.post(f"{answer.headers['Location']}/discard")
    assert operator.get(answer.headers["Location"]).status_code == 404


def test_a_secret_is_in_no_answer_and_no_row(operator: Client) -> None:
    answer = operator.post(READ, {"text": f"name: a\nmetadata:\n  k: {KEY}\n"}, follow=True)
    text = answer.content.decode()
    assert "Line 3" in text
    assert KEY not in text
    assert KEY not in ProfileImport.objects.get().found
    assert not ProfileDraft.objects.exists()


def test_exports_are_files_and_what_cannot_be_read_back_is_refused(operator: Client) -> None:
    ProfileFactory(slug="a", body={"name": "A"})
    ProfileFactory(slug="b", body={"name": "B", "description": "x" * 200_000})
    export = reverse("fleets:profile_export_file")
    one = operator.get(export, {"slug": "a"})
    assert one.content == b'{\n  "name": "A"\n}\n'
    assert operator.get(export, {"q": "a", "form": "json-zip"}).content.startswith(b"PK")
    refused = operator.get(export, {"form": "yaml"})
    assert refused.status_code == 422
    assert 'value="yaml-zip" checked' in refused.content.decode().replace("\n", " ")
    assert operator.get(export, {"slug": "none"}).status_code == 422
    assert operator.get(export, {"form": "xml"}).status_code == 422
