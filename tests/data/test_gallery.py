"""The known data sets: names that the hub can have, and columns that are guessed as the table says."""

import pytest

from s2s import hub
from s2s.data.formats.columns import guess
from s2s.data.gallery import GALLERY, Known


@pytest.mark.parametrize("row", GALLERY.values(), ids=GALLERY)
def test_a_row_is_what_it_says(row: Known) -> None:
    assert hub.check(row.id) == row.id
    assert row.summary.endswith(".")
    assert all((row.size, row.rows, row.license))
    found = guess(row.shape, row.config)
    if row.src == row.tgt:
        assert found == ()
        assert [column.name for column in row.shape] == [row.src]
    else:
        assert found[0][:2] == (row.src, row.tgt), found


def test_there_are_about_thirty() -> None:
    assert 30 <= len(GALLERY) <= 40


def test_a_sample_is_advised_of_what_is_large() -> None:
    assert all("sample" in row.warning for row in GALLERY.values() if "GB" in row.size)
