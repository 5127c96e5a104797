"""`make screenshots` leaves no page out."""

from tests.browser.pages import PAGES
from tests.browser.pictures import PICTURES
from tests.browser.taking import LOOKS, file_of


def test_every_page_has_a_picture() -> None:
    assert {page.url_name for page in PAGES} == {picture.url_name for picture in PICTURES}


def test_every_picture_has_a_file_of_its_own() -> None:
    files = [file_of(picture, look) for picture in PICTURES for look in LOOKS]
    assert len(set(files)) == len(files)
