"""Which test sets a page reads itself."""

from pathlib import Path

import pytest

from s2s.data import opening
from s2s.jobs.evaluation import brought_sets, test_sets
from s2s.runs import Sentences
from tests.conftest import make_run


def test_a_dataset_in_files_of_others_is_read_by_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "test.csv"
    table.write_text("src,tgt,tgt2\na,x,y\nb,z,\n")
    brought = Sentences("", spec=str(table))
    direct = test_sets.read(brought)
    found = brought_sets.read(brought)
    assert (found.pairs, found.every_reference) == (direct.pairs, direct.every_reference)
    assert found.notes == direct.notes
    monkeypatch.setattr(opening, "ask", lambda *_, **__: pytest.fail("it is read here"))
    run = str(make_run(tmp_path / "run", {}))  # of a generated dataset
    assert brought_sets.read(Sentences("", run=run)).pairs
    with pytest.raises(pytest.fail.Exception):
        brought_sets.read(brought)
