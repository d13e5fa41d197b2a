from s2s.runs import RunFolder, runs_folder
from s2s.ui.kit import cached
from s2s.ui.kit.test_sets import described
from tests.conftest import make_run


def test_an_evaluation_of_files_is_named_without_their_folders() -> None:
    folder = RunFolder(make_run(runs_folder() / "one", {}))
    folder.amend(lambda about: {"source": "/srv/me/pairs.tsv"})
    cached.refresh_runs()
    assert described("one", "held out", 5).name == "pairs.tsv, held out"
    assert described("one", "builtin:en-fr", 5).spec == "builtin:en-fr"
