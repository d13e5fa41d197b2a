"""The known datasets: names that the hub can have, and columns that are guessed as the table says."""

from s2s import hub
from s2s.data.formats.columns import guess
from s2s.data.gallery import GALLERY


def test_the_listed_columns_are_the_guessed_ones() -> None:
    for row in GALLERY.values():
        assert hub.check(row.id) == row.id
        found = guess(row.shape, row.config)
        if row.src == row.tgt:
            assert found == ()
            assert [column.name for column in row.shape] == [row.src]
        else:
            assert found[0][:2] == (row.src, row.tgt), found
