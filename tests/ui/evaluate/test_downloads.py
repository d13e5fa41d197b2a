"""What an evaluation can be taken away as, and that it repeats."""

import csv
import io
import json
import shlex
import zipfile
from pathlib import Path

import pytest

from s2s.cli import main
from s2s.config import UserError
from s2s.runs import EvaluationFolder, System, evaluations
from s2s.scores import METRICS
from s2s.ui.evaluate import downloads, files, provenance
from tests.ui.evaluate.test_evaluate import DEMO, MARKUP, THEIRS, evaluated

REPEATED = (*METRICS, "loss", "perplexity", "token_accuracy")


@pytest.fixture
def place() -> EvaluationFolder:
    mbr = System("mbr", DEMO, 1500, "mbr", {"num_samples": 8, "seed": 7}, checkpoint="best")
    return evaluations.folder(evaluated(mbr))


def unzipped(place: EvaluationFolder, folder: Path) -> dict[str, str]:
    content = downloads.bundle(place.evaluation(), place.scores(), place.provenance())
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
    return {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}


def test_the_commands_of_the_bundle_repeat_the_scores(
    place: EvaluationFolder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    contents = unzipped(place, tmp_path / "bundle")
    monkeypatch.chdir(tmp_path / "bundle")
    commands = contents["commands.txt"].splitlines()
    systems = json.loads(contents["scores.json"])["systems"]
    for text, scores in zip(commands[:2], systems, strict=False):
        assert main(shlex.split(text)[3:]) == 0
        summary = json.loads(capsys.readouterr().out.splitlines()[-1])
        for name in REPEATED:
            assert summary[name] == pytest.approx(scores["scores"][name]["value"], rel=1e-9)
        assert summary["strategy"]["seed"] in (1, 7)
        assert summary["provenance"]["step"] == 1500
    assert commands[2].startswith("sacrebleu test.ref -i ")
    assert contents[shlex.split(commands[2])[3]].splitlines() == THEIRS


def test_uploads_with_several_references(tmp_path: Path) -> None:
    found = files.read([("s", b"a\nb\n"), ("r1", b"x\ny\n"), ("r2", b"u\n\n")])
    assert found == ((("a", "x"), ("b", "y")), (("x", "u"), ("y",)))
    assert files.read([]) is None
    with pytest.raises(UserError, match="`r2` has 1 lines"):
        files.read([("s", b"a\nb\n"), ("r1", b"x\ny\n"), ("r2", b"u\n")])
    written = downloads._references([("x", "u"), ("y",)])
    assert written == {"test.ref": "x\ny\n", "test.ref2": "u\n\n"}


def test_all_three_files_say_what_the_scores_were_made_with(
    place: EvaluationFolder, tmp_path: Path
) -> None:
    contents = unzipped(place, tmp_path / "bundle")
    rows = [*csv.DictReader(io.StringIO(contents["scores.csv"]))]
    mbr = next(row for row in rows if row["system"] == "mbr" and row["score"] == "bleu")
    settings = json.loads(mbr["settings"])
    assert (settings["num_samples"], settings["temperature"], mbr["seed"]) == (8, 1.0, "7")
    assert (mbr["run"], mbr["checkpoint"], mbr["subset"]) == (DEMO, "1500", "all sentences")
    assert mbr["data_hash"] == place.evaluation().test.hash
    assert "sacrebleu" in mbr["versions"]
    assert mbr["command"] in contents["commands.txt"].splitlines()
    theirs = next(row for row in rows if row["system"] == MARKUP)
    assert theirs["files"] == "theirs.txt"
    found = json.loads(contents["scores.json"])["provenance"]
    assert found == json.loads(contents["provenance.json"])
    assert found["systems"][1]["checkpoint"] == "best"
    assert len(found["systems"][1]["weights_sha256"]) == 64
    shown = provenance.columns(place.evaluation(), place.provenance())
    assert shown["Checkpoint"][1:] == ["step 1,500 (best)", "theirs.txt"]
    assert shown["Settings"][1].startswith("num_samples=8, utility=chrf, temperature=1.0")
    assert "seed=7" in shown["Settings"][1]


def test_numbers_have_all_their_digits(place: EvaluationFolder) -> None:
    scores = place.scores()
    text = downloads.scores_csv(place.evaluation(), scores, place.provenance())
    bleu = next(row for row in csv.DictReader(io.StringIO(text)) if row["score"] == "bleu")
    assert float(bleu["value"]) == scores["systems"][0]["scores"]["bleu"]["value"]


def test_an_evaluation_of_an_earlier_version_says_what_is_known(place: EvaluationFolder) -> None:
    (place.path / "provenance.json").unlink()
    shown = provenance.columns(place.evaluation(), place.provenance())
    assert shown["Settings"] == ["", "num_samples=8, seed=7", ""]
    assert "num_samples" in downloads.scores_csv(place.evaluation(), place.scores(), {})
