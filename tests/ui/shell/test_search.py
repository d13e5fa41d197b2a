"""The search: every page, lesson, mistake and curated view is found, and each of its links opens something."""

from urllib.parse import parse_qsl, urlsplit

from s2s.faults import FAULTS
from s2s.lessons import EXERCISES, LESSONS
from s2s.links import share
from s2s.ui.shell.curated_views import CURATED_VIEWS
from s2s.ui.shell.pages import PAGES
from s2s.ui.shell.search import places


def test_everything_that_has_an_address_is_found_by_its_title() -> None:
    titles = {place.title for place in places()}
    for rows in (PAGES, LESSONS.values(), EXERCISES.values(), FAULTS.values(), CURATED_VIEWS):
        assert {row.title for row in rows} <= titles


def test_every_link_is_to_a_page_and_says_nothing_that_its_page_does_not_take() -> None:
    keys = {row.url_path or "./": {*row.keys, share.LESSON} for row in PAGES}
    for place in places():
        link = urlsplit(place.link)
        given = dict(parse_qsl(link.query, strict_parsing=bool(link.query)))
        assert given.keys() <= keys[link.path], place
        assert not share.read(given).problems, place
