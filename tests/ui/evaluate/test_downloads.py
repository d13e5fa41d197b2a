"""What an evaluation can be exported as, and that it repeats."""

import csv
import io
import json
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from s2s.cli import main
from s2s.config import UserError
from s2s.jobs import EvaluationRequest, evaluation_service
from s2s.library import Library
from s2s.plots.evaluation_files import bundle, reference_texts, scores_latex
from s2s.questions import Evaluate, Evaluated, Have
from s2s.runs import EvaluationFolder, Sentences, System
from s2s.scores import METRICS, Scoring
from s2s.ui.evaluate import files
from tests.ui.evaluate.test_evaluate import DEMO, MARKUP, THEIRS, evaluated, work

REPEATED = (*METRICS, "loss", "perplexity", "token_accuracy")


@pytest.fixture
def place() -> EvaluationFolder:
    mbr = System("mbr", DEMO, 1500, "mbr", {"num_samples": 8, "seed": 7}, checkpoint="best")
    return Library().evaluation(evaluated(mbr))


def answered(place: EvaluationFolder) -> Evaluated:
    return Have().answer(Evaluate(evaluation=place.id))


def unzipped(place: EvaluationFolder, folder: Path) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(bundle(answered(place)))) as archive:
        archive.extractall(folder)
    return {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}


def test_the_readme_says_in_which_form_texts_were_compared(
    place: EvaluationFolder, tmp_path: Path
) -> None:
    assert "(NFC), in which they were compared." in unzipped(place, tmp_path / "new")["README.txt"]
    path = place.path / "scores.json"
    path.write_text(path.read_text().replace("|unicode:NFC", ""))
    earlier = unzipped(place, tmp_path / "earlier")["README.txt"]
    assert (
        "(NFC). An earlier version computed these scores, on texts as they were written" in earlier
    )


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
    assert found == files.Uploaded((("a", "x"), ("b", "y")), (("x", "u"), ("y",)))
    assert files.read([]) is None
    with pytest.raises(UserError, match="`r2` has 1 lines"):
        files.read([("s", b"a\nb\n"), ("r1", b"x\ny\n"), ("r2", b"u\n")])
    written = reference_texts([("x", "u"), ("y",), ("z",)], 2)
    assert written == {"test.ref": "x\ny\n", "test.ref2": "u\n\n"}


@pytest.mark.system
@pytest.mark.parametrize(
    ("references", "scoring", "program"),
    [
        (
            [("la maison rouge", "la maison"), ("le chat", "un chat"), ("b", "c")],
            Scoring("char", True, 2),
            "sacrebleu",
        ),
        (
            [("la maison rouge", "a", "une maison est là"), ("le chat dort",), ("b", "c")],
            Scoring("intl", True, 2),
            "python rescore.py",
        ),
    ],
)
def test_the_command_of_an_uploaded_system_repeats_its_scores(
    references: Sequence[tuple[str, ...]], scoring: Scoring, program: str, tmp_path: Path
) -> None:
    outputs = ["La maison rouge .", "le chien dort", "le chat qui chassait la souris, noir"]
    pairs = [(f"s {i}", each[0]) for i, each in enumerate(references)]
    evaluation = evaluation_service.submit(
        EvaluationRequest(
            (System("theirs", uploaded="t.txt"),),
            Sentences("mine", n=3),
            pairs,
            {"theirs": outputs},
            references=references,
            scoring=scoring,
        )
    )
    place = Library().evaluation(evaluation)
    place.set_words({})
    work(place)
    contents = unzipped(place, tmp_path / "bundle")
    command = contents["commands.txt"].strip()
    assert command.startswith(f"{program} ")
    words = shlex.split(command)
    program_words = (
        [sys.executable, *words[1:]]
        if "python" in words[0]
        else [sys.executable, "-m", "sacrebleu", *words[1:]]
    )
    done = subprocess.run(
        program_words, cwd=tmp_path / "bundle", capture_output=True, text=True, check=True
    )
    printed = json.loads(done.stdout)
    rows = printed if isinstance(printed, list) else list(printed.values())
    system = place.scores()["systems"][0]
    assert len(rows) == 3
    for row, key in zip(rows, ("bleu", "chrf", "ter"), strict=True):
        assert row["score"] == pytest.approx(system["scores"][key]["value"], abs=1e-6)
        # the bundle's texts are composed; sacrebleu's command does not say so
        assert (
            f"{row['signature'].removesuffix('|unicode:NFC')}|unicode:NFC"
            == (system["signature"][key])
        )


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
    made = answered(place).made
    assert [one.checkpoint for one in made[1:]] == ["step 1,500 (best)", "theirs.txt"]
    assert made[1].settings.startswith("num_samples=8, utility=chrf, temperature=1.0")
    assert "seed=7" in made[1].settings


def test_an_evaluation_of_an_earlier_version_says_what_is_known(place: EvaluationFolder) -> None:
    (place.path / "provenance.json").unlink()
    answer = answered(place)
    assert [one.settings for one in answer.made] == ["", "num_samples=8, seed=7", ""]
    assert "num_samples" in Evaluate().table(answer).csv()


def test_the_latex_table_has_every_score_and_its_signature(place: EvaluationFolder) -> None:
    written = scores_latex(answered(place))
    greedy = place.scores()["systems"][0]
    head = next(line for line in written.splitlines() if line.startswith("System"))
    assert {"BLEU", "Perplexity", "Token accuracy"} <= set(head.removesuffix(r" \\").split(" & "))
    assert f"% Perplexity: {greedy['signature']['perplexity']}\n" in written
    assert f" {greedy['scores']['perplexity']['value']:.2f} ± " in written
    rows = [line for line in written.splitlines() if line.endswith(r" \\")]
    assert {line.count(" & ") for line in rows} == {head.count(" & ")}  # no name breaks a cell
