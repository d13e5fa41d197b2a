import pytest

from s2s.config import SpecialIds, UserError


def test_what_is_read_and_written_around_a_text() -> None:
    assert SpecialIds().source([7, 8]) == [7, 8, 2]
    assert SpecialIds().target([7, 8]) == [7, 8, 2]
    ids = SpecialIds(pad=1, start=2, eos=2, src_first=0, src_last=9, tgt_first=0)
    assert ids.source([7]) == [0, 7, 2, 9]
    assert ids.target([7]) == [0, 7, 2]
    assert ids.n_predicted([0, 7, 2]) == 2
    assert ids.n_predicted([7, 2]) == 2
    assert ids.n_predicted([0]) == 1
    assert SpecialIds().n_predicted([0, 7, 2]) == 3


def test_suppressed_ids_are_a_list_in_a_text() -> None:
    assert SpecialIds().suppressed_ids == ()
    assert SpecialIds(suppressed="3,70").suppressed_ids == (3, 70)
    assert SpecialIds(suppressed="3,5 9 2").suppressed_sequences == ((3,), (5, 9, 2))
    assert SpecialIds(suppressed="3,5 9 2").suppressed_ids == (3,)
    with pytest.raises(UserError, match="`suppressed` is '3, x'; give ids separated by commas"):
        SpecialIds(suppressed="3, x")
