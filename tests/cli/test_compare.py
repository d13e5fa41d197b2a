"""`python -m s2s compare`: two runs on one test set, by the paired tests of Evaluate."""

import json
import re
from pathlib import Path

import pytest

import s2s
from s2s.cli import main
from s2s.scores import paired
from tests.conftest import make_run

SOURCES = ["1 2 3", "4", "5 6", "7 8 9 1"]
REFERENCES = ["3 2 1", "4", "6 5", "1 9 8 7"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("cli") / "run", {"train.steps": 60, "train.lr": 0.01})


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "src").write_text("\n".join(SOURCES) + "\n")
    (tmp_path / "ref").write_text("\n".join(REFERENCES) + "\n")
    return ["--src", str(tmp_path / "src"), "--ref", str(tmp_path / "ref")]


def test_the_difference_is_that_of_the_paired_tests(
    run: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"{run}@10", f"{run}@60"]
    assert main(["compare", *names, *files, "--strategy", "greedy"]) == 0
    out = capsys.readouterr().out
    summary = json.loads(out.splitlines()[-1])
    first, second = (
        [one.text for one in s2s.load(name).translate(SOURCES, "greedy")] for name in names
    )
    for key, pair in paired(second, first, [[one] for one in REFERENCES]).items():
        assert summary["paired"][key] == pytest.approx(vars(pair))
        scores = [system["scores"][key]["value"] for system in summary["systems"]]
        assert scores[1] - scores[0] == pytest.approx(pair.difference)
    assert [system["provenance"]["step"] for system in summary["systems"]] == [10, 60]
    (row,) = re.findall(r"^chrF +([\d.]+) +([\d.]+) +([+-][\d.]+) ", out, re.MULTILINE)
    assert float(row[1]) - float(row[0]) == pytest.approx(float(row[2]), abs=0.011)


def test_a_run_does_not_differ_from_itself(
    run: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(run), str(run), *files, "--strategy", "greedy"]) == 0
    *table, _, summary = capsys.readouterr().out.splitlines()
    assert {pair["difference"] for pair in json.loads(summary)["paired"].values()} == {0.0}
    assert not [line for line in table if "*" in line]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["RUN"], "arguments are required: B; see `.*compare --help`"),
        (["RUN", "RUN"], "`compare` needs --src and --ref, or --table; see `compare --help`"),
        (["RUN", "RUN", "--src", "gone", "--ref", "gone"], "There is no file `gone`"),
        (["RUN", "nowhere", "FILES"], "There is no run `nowhere`"),
        (["RUN", "RUN@41", "FILES"], "has no checkpoint of step 41; it has"),
        (["RUN", "RUN", "FILES", "--strategy", "beem"], "no strategy `beem`"),
        (["RUN", "RUN", "FILES", "--set", "beams=3"], "no setting `beams`"),
        (["RUN", "RUN", "FILES", "--bleu-tokenize", "14a"], "`14a`"),
        (["RUN", "RUN", "FILES", "--processes", "0"], "`--processes` 0 is not a number of"),
        (["RUN", "RUN", "FILES", "--tgt-lang", "de"], "`de`"),
        (["RUN", "RUN", "--src", "/dev/null", "--ref", "/dev/null"], "/dev/null"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_2(
    arguments: list[str],
    sentence: str,
    run: Path,
    files: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    words: list[str] = []
    for word in arguments:
        words += files if word == "FILES" else [word.replace("RUN", str(run))]
    try:
        status = main(["compare", *words])
    except SystemExit as end:
        status = int(end.code or 0)
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1), err
    assert re.search(sentence, err), err
