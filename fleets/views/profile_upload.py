"""What an import form brought: chosen files, a folder, or a pasted text."""

from typing import Final

from django.http import HttpRequest

from fleets.domain.errors import InvalidInput
from fleets.domain.profile_import.candidate import Found
from fleets.domain.profile_import.reading import read_pasted, read_uploads
from fleets.domain.profile_import.upload import MAX_ARCHIVE_BYTES, Upload

FILES: Final = "files"
FOLDER: Final = "folder"
PATHS: Final = "paths"
TEXT: Final = "text"


def found_in(request: HttpRequest) -> Found:
    """Read everything that came. Raises InvalidInput when nothing did."""
    uploads = [*_files(request), *_folder(request)]
    text = request.POST.get(TEXT, "")
    if not uploads and not text.strip():
        raise InvalidInput.at(FILES, "Choose files or a folder, or paste a text.")
    found = read_uploads(uploads)
    if not text.strip():
        return found
    pasted = read_pasted(text)
    return Found(
        (*found.candidates, *pasted.candidates),
        (*found.unread, *pasted.unread),
    )


def _files(request: HttpRequest) -> list[Upload]:
    # One byte more than fits, so that the domain says what is too long.
    return [
        Upload(file.name or "file", file.read(MAX_ARCHIVE_BYTES + 1))
        for file in request.FILES.getlist(FILES)
    ]


def _folder(request: HttpRequest) -> list[Upload]:
    """Files of a folder with their paths, which only the page's script knows; else their names."""
    chosen = [file for file in request.FILES.getlist(FOLDER) if file.name]
    paths = request.POST.getlist(PATHS)
    names = paths if len(paths) == len(chosen) else [file.name or "file" for file in chosen]
    return [
        Upload(name, file.read(MAX_ARCHIVE_BYTES + 1))
        for name, file in zip(names, chosen, strict=True)
    ]
