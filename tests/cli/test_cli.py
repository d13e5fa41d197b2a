import io
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import s2s
from s2s import settings
from s2s.cli import commands, main, parser, progress, training
from s2s.config import PRESETS, Recipe, UserError, asker, override
from s2s.data import load_pairs_for_training
from s2s.jobs.training import RunRequest
from s2s.runs import RunFolder
from s2s.scores import Scoring, score_all
from tests.conftest import TINY, make_run

Say = Callable[..., tuple[int, str, str]]
TINY_ARGUMENTS = [
    part for key, value in TINY.items() for part in ("--set", f"{key}={json.dumps(value)}")
]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """Run the command line in this process: exit status, stdout, stderr."""

    def run(*arguments: str, stdin: str | bytes = "") -> tuple[int, str, str]:
        content = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = int(end.code or 0)
        out, err = capsys.readouterr()
        return status, out, err

    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("cli") / "run", {"train.steps": 60, "train.lr": 0.01})


def test_presets_are_listed_with_their_parameters(say: Say) -> None:
    status, out, _ = say("presets", "--json")
    rows = {row["name"]: row for row in json.loads(out)}
    assert status == 0
    assert set(rows) == set(PRESETS)
    assert rows["first-steps"]["parameters"] == 78
    assert set(rows["t5-11b"]) == {
        "name",
        "parameters",
        "src_vocab_size",
        "tgt_vocab_size",
        "summary",
        "source",
    }
    assert "78  " in say("presets")[1]


def test_app_says_what_it_lacks(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "find_spec", lambda name: None if name == "plotly" else name)
    status, out, err = say("app")
    assert (status, out) == (2, "")
    assert err.startswith("The dashboard needs plotly, which this environment lacks; ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("system", ["posix", "nt"])
def test_app_starts_the_server_with_what_was_given(
    say: Say, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    """Where there is no `exec` that keeps the process, it waits for another one."""
    started: list[list[str]] = []
    monkeypatch.setattr(commands, "CAN_EXEC", system == "posix")
    monkeypatch.setattr(commands.subprocess, "call", lambda command: started.append(command) or 3)
    monkeypatch.setattr(os, "execv", lambda program, command: sys.exit(started.append(command)))
    status, _, _ = say("app", "--port", "8600")
    (command,) = started
    assert status == (0 if system == "posix" else 3)
    assert command[:5] == [sys.executable, "-P", "-m", "streamlit", "run"]
    assert Path(command[5]).name == "streamlit_app.py"
    assert "--server.port=8600" in command


def test_data_writes_aligned_files_and_gold_alignments(say: Say, tmp_path: Path) -> None:
    status, out, _ = say("data", "synthetic:reverse", "--split", "valid", "--out", tmp_path)
    assert (status, out) == (0, "valid: 500 pairs\n")
    lines = {
        suffix: (tmp_path / f"valid.{suffix}").read_text().splitlines()
        for suffix in ("src", "tgt", "align")
    }
    assert {len(found) for found in lines.values()} == {500}
    for src, tgt, align in zip(*lines.values(), strict=True):
        for link in align.split():
            i, j = map(int, link.split("-"))
            assert src.split()[i] == tgt.split()[j]


@pytest.mark.parametrize("repair", [True, False])
def test_data_writes_the_pairs_that_training_reads(say: Say, tmp_path: Path, repair: bool) -> None:
    path = tmp_path / "both.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("train.tsv", "hello\tbonjour\ncat\tchat\nTom &amp; I\tmoi\n")
        file.writestr("valid.tsv", "hello\tsalut\nyou &amp; I\tnous\n")
    recipe = override(Recipe(), {"data.clean.repair": repair})
    expected = load_pairs_for_training(str(path), None, recipe.train.seed, recipe.data)
    status, out, _ = say(
        "data", path, "--out", tmp_path, "--set", f"data.clean.repair={json.dumps(repair)}"
    )
    assert status == 0
    assert "train: 2 pairs" in out
    for corpus in (expected.train, expected.valid):
        written = (tmp_path / f"{corpus.split}.src").read_text(encoding="utf-8").splitlines()
        assert written == [pair.src for pair in corpus.pairs]


def test_data_cleans_the_split_that_is_trained_on(say: Say, tmp_path: Path) -> None:
    path = tmp_path / "both.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("train.tsv", "e\tf\n")
        file.writestr("test.tsv", "a\tb\na\tb\nc\td\n")
    source = f"{path}#split=test"
    status, out, _ = say("data", source, "--out", tmp_path, "--set", "data.clean.duplicates=true")
    assert (status, out.splitlines()[0]) == (0, "test: 2 pairs")


def test_a_name_that_is_no_utf_8_is_a_sentence_too(say: Say) -> None:
    status, out, err = say("translate", "caf\udce9")
    assert (status, out) == (2, "")
    assert "caf\\udce9" in err
    assert err.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
def test_output_that_cannot_be_written_is_one_sentence(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        status, _, err = say("presets")
    assert status == 2
    assert err == "The disk is full; free some space, or write to another disk.\n"


def test_who_reads_no_further_is_no_mistake(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    with open(writes, "w") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        status, _, err = say("presets")
    assert (status, err) == (0, "")


@pytest.mark.slow
def test_train_translate_and_resume_on_a_table(say: Say, tmp_path: Path) -> None:
    table = tmp_path / "pairs.tsv"
    out = tmp_path / "run"
    table.write_text("".join(f"{a} {b}\t{b} {a}\n" for a in "abcdefgh" for b in "stuvwxyz"))
    arguments = ["train", "--source", str(table), *TINY_ARGUMENTS, "--out", str(out)]
    status, shown, err = say(*arguments)
    assert (status, err) == (0, "")
    assert "3 of 64 distinct sources are held out" in shown
    assert re.search(r"step 30  loss \d\.\d+  valid \d\.\d+ .* tokens/s  0 s left", shown)
    status, text, _ = say("translate", out, stdin="a s\nb t\n")
    assert status == 0
    assert len(text.splitlines()) == 2
    status, shown, _ = say("train", "--out", out, "--resume", "--set", "train.steps=40")
    assert status == 0
    assert "step 40" in shown


def test_threads_spin_only_where_their_number_follows_the_speed(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOMP_SPINCOUNT", "")  # so that it is put back
    monkeypatch.delenv("GOMP_SPINCOUNT")
    for options, spins in (
        (["train.threads=2"], None),
        (["train.threads=1", "train.minutes=1"], None),
        (["train.threads=2", "train.minutes=1"], "300000"),
    ):
        words = [word for option in options for word in ("--set", option)]
        status, _, err = say("train", "--source", "none.tsv", *words, "--out", "unused")
        assert (status, "none.tsv" in err) == (2, True)
        assert os.environ.get("GOMP_SPINCOUNT") == spins


def test_a_setting_with_the_value_of_its_preset_is_given_all_the_same(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []

    def refuse(request: RunRequest, *_: object, **__: object) -> None:
        given.append(request.given)
        raise UserError("enough")

    monkeypatch.setattr("s2s.jobs.training.start", refuse)
    words = ["--preset", "quick", "--set", "model.d_model=128", "--source", "synthetic:reverse"]
    status, _, err = say("train", *words, "--out", "unused")
    assert (status, given) == (2, [("model.d_model",)])
    assert "enough" in err


ORDER = """
import sys
from s2s import cli, settings
own = settings.for_threads
def noted(n, *, spin):
    print("torch" in sys.modules, own(n, spin=spin)["GOMP_SPINCOUNT"])
    sys.exit()
settings.for_threads = noted
cli.main(sys.argv[1:])
"""


@pytest.mark.system
@pytest.mark.parametrize("is_resumed", [False, True])
def test_how_threads_wait_is_said_before_torch_is_imported(
    is_resumed: bool, tmp_path: Path
) -> None:
    """Each ends there; torch would be imported next, which takes seconds."""
    words = ["--resume"] if is_resumed else ["--source", "none.tsv", "--set", "train.minutes=1"]
    recipe = override(Recipe(), {"train.minutes": 1.0})
    (tmp_path / "recipe.json").write_text(json.dumps({"recipe": recipe.to_json()}))
    environment = {key: value for key, value in os.environ.items() if key != "GOMP_SPINCOUNT"}
    found = subprocess.run(
        [sys.executable, "-c", ORDER, "train", "--out", tmp_path, *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout.split() == ["False", "300000"], found.stderr


def test_resuming_names_a_broken_checkpoint(say: Say, tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", {"train.steps": 20})
    newest = path / "checkpoints" / "step-00000020.state.safetensors"
    newest.write_bytes(newest.read_bytes()[:100])
    status, _, err = say("train", "--resume", "--out", path, "--set", "train.steps=25")
    assert status == 0
    assert "step-00000020.state.safetensors` cannot be read" in err


def test_translate_never_loses_a_line(say: Say, run: Path) -> None:
    sources = ["1 2 3", "", "7 zebra", "  ", "4"]
    status, out, err = say("translate", run, stdin="\n".join(sources))
    assert status == 0
    assert len(out.split("\n")) - 1 == len(sources)
    assert out.split("\n")[1] == out.split("\n")[3] == ""
    assert err == "Unknown words, read as <unk>: zebra\n"
    assert say("translate", run, stdin="") == (0, "", "")


def test_a_language_that_a_model_lacks_is_a_sentence(say: Say, run: Path) -> None:
    status, _, err = say("translate", run, "--tgt-lang", "fr", stdin="1")
    assert (status, err) == (
        2,
        "There is no language `fr`, and there are no others; leave it out.\n",
    )


def test_translate_writes_json_and_n_best_lists(say: Say, run: Path) -> None:
    _, out, _ = say("translate", run, "--json", "--set", "num_beams=3", stdin="1 2 3\n\n")
    first, empty = map(json.loads, out.splitlines())
    assert set(first) == {"source", "text", "tokens", "log_prob", "score", "hypotheses"}
    assert len(first["hypotheses"]) == 3
    assert (
        len(
            json.loads(say("translate", run, "--json", "--n-best", "2", stdin="1 2 3\n")[1])[
                "hypotheses"
            ]
        )
        == 2
    )
    assert first["text"] == first["hypotheses"][0]["text"]
    assert (empty["text"], empty["hypotheses"]) == ("", [])
    _, out, _ = say("translate", run, "--n-best", "2", stdin="1 2\n3\n")
    rows = [line.split("\t") for line in out.splitlines()]
    assert [row[0] for row in rows] == ["1", "1", "2", "2"]
    assert float(rows[0][1]) >= float(rows[1][1])


def test_score_prints_nats_per_line(say: Say, run: Path, tmp_path: Path) -> None:
    (tmp_path / "src").write_text("1 2 3\n4\n")
    (tmp_path / "tgt").write_text("3 2 1\n4\n")
    status, out, _ = say("score", run, "--src", tmp_path / "src", "--tgt", tmp_path / "tgt")
    assert status == 0
    assert [float(line) for line in out.split()] == pytest.approx(
        s2s.load(run).score(["1 2 3", "4"], ["3 2 1", "4"]), abs=1e-5
    )


def test_the_last_line_of_evaluate_is_one_json_object(say: Say, run: Path, tmp_path: Path) -> None:
    (tmp_path / "src").write_text("1 2 3\n4\n")
    (tmp_path / "ref").write_text("3 2 1\n4\n")
    status, out, _ = say(
        "evaluate",
        run,
        "--src",
        tmp_path / "src",
        "--ref",
        tmp_path / "ref",
        "--strategy",
        "greedy",
    )
    assert status == 0
    summary = json.loads(out.splitlines()[-1])
    names = (
        "n bleu chrf ter rouge_1 rouge_2 rouge_l exact_match token_accuracy loss perplexity"
        " signature strategy notes seconds provenance"
    )
    assert set(summary) == set(names.split())
    assert summary["n"] == 2
    assert summary["signature"]["bleu"].startswith("nrefs:1|")
    assert summary["provenance"]["step"] == 60
    assert summary["strategy"]["max_new_tokens"] == s2s.load(run).recipe.data.max_length
    assert summary["loss"] == pytest.approx(
        -sum(s2s.load(run).score(["1 2 3", "4"], ["3 2 1", "4"])) / 6, abs=1e-4
    )
    rows = dict(re.findall(r"^(\S+(?: \S+)?) +([\d.]+)  ", out, re.MULTILINE))
    assert float(rows["Perplexity"]) == pytest.approx(math.exp(summary["loss"]), abs=0.006)
    assert float(rows["Token accuracy"]) == pytest.approx(
        100 * summary["token_accuracy"], abs=0.006
    )
    assert "|unit:token|tok:" in summary["signature"]["perplexity"]


def test_evaluate_takes_several_references(say: Say, run: Path, tmp_path: Path) -> None:
    for name, text in (("src", "1 2\n4\n1 2\n"), ("ref", "2 1\n4\n2 2\n"), ("ref2", "1 2\n\n1\n")):
        (tmp_path / name).write_text(text)
    files = ["--src", tmp_path / "src", "--ref", tmp_path / "ref", "--ref", tmp_path / "ref2"]
    options = ["--strategy", "greedy", "--chrf-words", "2", "--bleu-tokenize", "char"]
    _, out, _ = say("evaluate", run, *files, *options)
    summary = json.loads(out.splitlines()[-1])
    texts = [one.text for one in s2s.load(run).translate(["1 2", "4", "1 2"], "greedy")]
    references = [["2 1", "1 2"], ["4"], ["2 2", "1"]]
    expected = score_all(texts, references, Scoring(tokenize="char", chrf_words=2))
    assert {name: summary[name] for name in expected} == {
        name: score.value for name, score in expected.items()
    }
    assert "tok:char" in summary["signature"]["bleu"]
    swapped = ["--src", tmp_path / "src", "--ref", tmp_path / "ref2", "--ref", tmp_path / "ref"]
    _, out, _ = say("evaluate", run, *swapped, *options)  # the first file has an empty line
    assert json.loads(out.splitlines()[-1])["bleu"] == summary["bleu"]
    _, out, _ = say("evaluate", run, *files, *options, "--group")
    summary = json.loads(out.splitlines()[-1])
    assert summary["n"] == 2
    assert (
        summary["bleu"]
        == score_all(texts[:2], [["2 1", "1 2", "2 2", "1"], ["4"]], Scoring(tokenize="char"))[
            "bleu"
        ].value
    )


def test_evaluate_says_which_tokenizer_the_script_has(say: Say, run: Path, tmp_path: Path) -> None:
    (tmp_path / "src").write_text("1 2\n4\n")
    (tmp_path / "ref").write_text("私は家が好き\nhouse\n")
    files = ["--src", tmp_path / "src", "--ref", tmp_path / "ref", "--strategy", "greedy"]
    status, out, said = say("evaluate", run, *files, "--rouge-tokenize", "rouge_score", "--stemmer")
    assert status == 0
    signatures = json.loads(out.splitlines()[-1])["signature"]
    assert "|tok:char|" in signatures["bleu"]
    assert "|tok:rouge_score|stem:porter|" in signatures["rouge_l"]
    assert (
        "BLEU's tokenizer is char: the references have 3 Han characters, 3 kana characters"
        " and 1 word of other scripts." in said
    )
    status, out, said = say("evaluate", run, *files, "--bleu-tokenize", "intl")
    assert "|tok:intl|" in json.loads(out.splitlines()[-1])["signature"]["bleu"]
    assert "BLEU's tokenizer" not in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--bleu-tokenize", "13b"], "`13b` is not a tokenizer of BLEU here; choose from auto"),
        (["--stemmer"], "set the tokenizer of ROUGE to rouge_score"),
        (["--rouge-tokenize", "words"], "`words`"),
    ],
)
def test_evaluate_refuses_ways_to_count_before_it_reads_files(
    say: Say, run: Path, words: list[str], sentence: str
) -> None:
    status, _, said = say("evaluate", run, "--src", "no such file", "--ref", "none", *words)
    assert status == 2
    assert sentence in said


def test_evaluate_reads_a_table_with_several_references(
    say: Say, run: Path, tmp_path: Path
) -> None:
    table = tmp_path / "t.csv"
    table.write_text("source,ref1,ref2\n1 2,2 1,1 2\n4,4,\n1 2,2 2,\n")
    _, out, err = say("evaluate", run, "--table", table, "--strategy", "greedy")
    summary = json.loads(out.splitlines()[-1])
    texts = [one.text for one in s2s.load(run).translate(["1 2", "4"], "greedy")]
    expected = score_all(texts, [["2 1", "1 2", "2 2"], ["4"]])
    assert {name: summary[name] for name in expected} == {
        name: score.value for name, score in expected.items()
    }
    assert "`ref1`, `ref2` are its 2 references." in err
    assert "3 rows have 2 different sources" in err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "needs --src and --ref, or --table"),
        (["--src", "s"], "needs --src and --ref, or --table"),
        (["--table", "t.csv", "--ref", "r"], "leave out --src and --ref"),
        (["--table", "gone.csv"], "`--table` gone.csv is not a table that exists"),
        (["--table", "README.md"], "give a .tsv, .csv"),
    ],
)
def test_a_test_set_is_two_files_or_a_table(
    say: Say, run: Path, options: list[str], sentence: str
) -> None:
    status, _, err = say("evaluate", run, *options)
    assert status == 2
    assert sentence in err


@pytest.mark.parametrize(
    ("checkpoint", "step"), [("best", 40), ("last", 60), ("40", 40), ("41", None)]
)
def test_a_checkpoint_is_chosen_by_step_or_as_best_or_last(
    say: Say, run: Path, tmp_path: Path, checkpoint: str, step: int | None
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(run, folder)
    RunFolder(folder).set_status("done", best_step=40)
    for name in ("src", "ref"):
        (tmp_path / name).write_text("1 2\n")
    files = ["--src", tmp_path / "src", "--ref", tmp_path / "ref", "--strategy", "greedy"]
    status, out, err = say("evaluate", folder, "--checkpoint", checkpoint, *files)
    assert say("evaluate", f"{folder}@{checkpoint}", *files)[::2] == (status, err)
    pairs = ["--src", tmp_path / "src", "--tgt", tmp_path / "ref"]
    scored = say("score", folder, "--checkpoint", checkpoint, *pairs)
    assert scored == say("score", f"{folder}@{checkpoint}", *pairs)
    assert scored[::2] == (status, err)
    if step is None:
        assert status == 2
        assert "has no checkpoint of step 41; it has" in err
    else:
        assert json.loads(out.splitlines()[-1])["provenance"]["step"] == step


MISTAKES = {
    "checkpoint": (
        ["translate", "demo-en-fr", "--checkpoint", "newest"],
        "`newest` is not a checkpoint; give a step",
    ),
    "preset": (
        ["train", "--source", "builtin:en-fr", "--preset", "smol", "--out", "x"],
        "no preset `smol`; the nearest are `small`",
    ),
    "corpus": (["train", "--source", "builtin:en-ft", "--out", "x"], "`en-ft`.*`en-fr`"),
    "key": (
        ["train", "--source", "builtin:en-fr", "--set", "train.stepz=3", "--out", "x"],
        "no setting `train.stepz`; .*`train.steps`",
    ),
    "heads": (
        ["train", "--source", "builtin:en-fr", "--set", "model.d_model=50", "--out", "x"],
        "`d_model` 50 .* try 48 or 52",
    ),
    "rotary": (
        "train --source builtin:en-fr --preset modern-small --set model.d_head=7 --out x".split(),
        "`d_head` 7 is odd .* try 8",
    ),
    "memory": (
        (
            "train --source builtin:first-steps --preset t5-11b --set "
            "tokenizer.vocab_size=40 --out x"
        ).split(),
        r"parameters .* needs about [\d.]+ GB of memory and [\d.]+ GB are free; choose a smaller preset",
    ),
    "length": (
        ["train", "--source", "builtin:first-steps", "--set", "data.max_length=2", "--out", "x"],
        r"None of the 2 pairs fits into `data.max_length` 2 tokens \(the shortest needs \d+\); raise `data.max_length`",
    ),
    "source": (["train", "--out", "x"], "`train` needs a dataset; add `--source`"),
    "strategy": (
        ["translate", "RUN", "--strategy", "beem"],
        "no strategy `beem`; the nearest are `beam`",
    ),
    "setting": (
        ["translate", "RUN", "--set", "beams=3"],
        "no setting `beams`; the nearest are `num_beams`",
    ),
    "n-best": (
        ["translate", "RUN", "--n-best", "9"],
        "`num_return_sequences` 9 is more than the 5 that `num_beams` keeps",
    ),
    "no-best": (
        ["translate", "RUN", "--n-best", "0"],
        r"`--n-best` 0 is not a number of translations; give 1 or more",
    ),
    "recipe": (
        ["train", "--source", "builtin:first-steps", "--recipe", "/dev/null", "--out", "x"],
        "cannot be read .*give a JSON file",
    ),
    "two recipes": (
        [
            *("train", "--source", "builtin:first-steps", "--recipe", "/dev/null"),
            *("--preset", "small", "--out", "x"),
        ],
        "`--recipe` and `--preset` both give a recipe; leave one out",
    ),
    "file": (
        ["train", "--source", "builtin:first-steps", "--out", "/dev/null"],
        "`/dev/null` cannot be written .*; choose another folder",
    ),
    "digits": (
        [
            "train",
            "--source",
            "builtin:first-steps",
            "--set",
            f"train.steps={'9' * 5000}",
            "--out",
            "x",
        ],
        r"`steps` is '9+…; give",
    ),
    "again": (
        ["train", "--resume", "--out", "RUN", "--preset", "small"],
        "only train.steps and train.lr can change, not --preset",
    ),
    "run": (["translate", "nowhere"], "There is no run `nowhere`"),
    "out": (
        ["data", "builtin:en-fr"],
        "The following arguments are required: --out; see `.*data --help`",
    ),
    "command": (["tran"], "invalid choice: 'tran'"),
    "trained": (
        ["train", "--source", "synthetic:copy", "--out", "RUN"],
        "`run` already holds a trained run; .* `--resume` continues a trained run; `--out` names another folder",
    ),
    "reached": (
        ["train", "--resume", "--out", "RUN"],
        r"reached step 60 of 60; .* to continue\. `--set train.steps=N` sets the new number of steps\.$",
    ),
    "no run": (
        ["train", "--resume", "--out", "x"],
        "`x` has no checkpoint to resume from; give a folder that `train --out` wrote",
    ),
    "resume": (
        ["train", "--resume", "--out", "RUN", "--set", "train.seed=2"],
        "only train.steps and train.lr can change, not train.seed",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_sentence_and_exit_2(
    case: str, say: Say, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, message = MISTAKES[case]
    monkeypatch.chdir(tmp_path)
    status, out, err = say(
        *(str(run) if part == "RUN" else part for part in arguments), stdin="1 2\n"
    )
    assert status == 2
    assert re.search(message, err), err
    assert (out, err.count("\n")) == ("", 1)
    assert not (tmp_path / "x").exists()


def test_a_source_is_not_written_over(say: Say, tmp_path: Path) -> None:
    for side, text in (("src", "a\nb\n"), ("tgt", "x\ny\n")):
        (tmp_path / f"train.{side}").write_text(text)
    source = f"{tmp_path / 'train.src'},{tmp_path / 'train.tgt'}"
    status, out, err = say("data", source, "--task", "reverse_direction", "--out", tmp_path)
    assert (status, out) == (2, "")
    assert "is read itself; give another `--out`" in err
    assert (tmp_path / "train.src").read_text() == "a\nb\n"


@pytest.mark.parametrize("name", ["tokenizer.json", "words.txt"])
def test_a_folder_of_something_else_is_left_alone(name: str, say: Say, tmp_path: Path) -> None:
    (tmp_path / name).write_text("{}")
    status, _, err = say("train", "--source", "builtin:first-steps", "--out", tmp_path)
    assert status == 2
    assert f"holds `{name}`, which is no run's; choose another folder" in err
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_before_the_first_update_nothing_was_saved(tmp_path: Path) -> None:
    stopped = training._where_it_stopped(RunFolder(tmp_path))
    assert stopped == "Stopped before the first update, so nothing was saved; train it again."


def test_a_run_without_a_checkpoint_cannot_be_resumed(say: Say, tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", {"train.steps": 1})
    for checkpoint in (path / "checkpoints").iterdir():
        checkpoint.unlink()
    status, _, err = say("train", "--resume", "--out", path)
    assert status == 2
    assert err.startswith(f"`{path}` has no checkpoint to resume from; give a folder that")
    assert err.endswith("or train without `--resume`.\n")


CYRILLIC = "привет мир\tздравствуй мир\n".encode("cp1251")
BAD_FILES = {
    "unequal": ({"a": b"1\n2\n", "b": b"1\n"}, "a,b", "has 2 lines and .* has 1"),
    "empty": ({"a": b"", "b": b""}, "a,b", "is empty"),
    "one column": ({"a.tsv": b"hello\nthere\n"}, "a.tsv", "one column"),
    "encoding": (
        {"a.tsv": CYRILLIC * 9},
        "a.tsv",
        "This looks like Windows-1251 .Russian.: `привет мир",
    ),
    "binary": ({"a.txt": b"\x89PNG\r\n\0\1", "b.txt": b"x\n"}, "a.txt,b.txt", "is not text"),
    "missing": ({}, "a.tsv", "There is no file `a.tsv`"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_one_sentence_and_exit_2(
    case: str, say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents, spec, message = BAD_FILES[case]
    monkeypatch.chdir(tmp_path)
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    for command in ("train --out x --source", "data --out x"):
        status, _, err = say(*command.split(), spec)
        assert status == 2
        assert re.search(message, err), err
        assert err.count("\n") == 1
    assert not (tmp_path / "x").exists()


def test_too_long_a_line_is_named_before_any_output(say: Say, tmp_path: Path) -> None:
    changes = {
        "model.positions.kind": "learned",
        "model.positions.max_length": 16,
        "data.max_length": 16,
        "train.steps": 1,
    }
    path = make_run(tmp_path / "short", changes)
    status, out, err = say("translate", path, stdin="1 2\n" + "1 " * 30 + "\n")
    assert (status, out) == (2, "")
    assert "Line 2 of the source has 31 tokens and this model has 16 positions" in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_is_saved_and_can_be_resumed(
    number: int, say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupting(io.StringIO):
        """Interrupts its own process when it shows step 10."""

        def write(self, text: str) -> int:
            if text.startswith("step 10 "):
                os.kill(os.getpid(), number)
            return super().write(text)

    out = tmp_path / "run"
    monkeypatch.setattr(sys, "stdout", Interrupting())
    source = ("--source", "synthetic:copy#rows=200")
    status, _, err = say(
        "train", *source, *TINY_ARGUMENTS, "--set", "train.steps=100000", "--out", out
    )
    assert status == 2
    match = re.fullmatch(
        r"Stopped at step (\d+) and saved; resume with: train --resume --out .*\n", err
    )
    assert match
    assert s2s.load(out, step=int(match[1])).folder.status()["state"] == "stopped"


def test_bytes_that_are_not_text_on_stdin(say: Say, run: Path) -> None:
    status, out, err = say("translate", run, stdin=b"1 2\n\xff\xfe\n")
    assert (status, out) == (2, "")
    assert "standard input" in err


@pytest.fixture
def crash(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "secret text of a visitor"

    def broken(*_: object) -> None:
        raise RuntimeError(text)

    monkeypatch.setattr("s2s.library.checkpoints.load", broken)


@pytest.mark.usefixtures("crash")
def test_a_crash_is_one_sentence_and_exit_1(say: Say, run: Path) -> None:
    status, out, err = say("translate", run, stdin="1\n")
    assert (status, out) == (1, "")
    assert re.fullmatch(
        r"An internal error occurred \(RuntimeError\); the details are in .*cli\.log\.\n", err
    )
    log = (settings.home() / "log" / "cli.log").read_text()
    assert "in broken" in log
    assert "secret" not in log


@pytest.mark.usefixtures("crash")
def test_s2s_debug_shows_the_traceback_of_a_crash(
    say: Say, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_DEBUG", "1")
    status, _, err = say("translate", run, stdin="1\n")
    assert status == 1
    assert err.startswith("Traceback (most recent call last):")
    assert "RuntimeError: secret text of a visitor" in err
    assert err.splitlines()[-1].startswith("An internal error occurred")


@pytest.mark.usefixtures("crash")
def test_a_log_that_cannot_be_written_is_named_in_the_error(say: Say, run: Path) -> None:
    settings.home().mkdir(parents=True, exist_ok=True)
    (settings.home() / "log").write_text("a file where the folder should be")
    status, _, err = say("translate", run, stdin="1\n")
    assert status == 1
    assert re.fullmatch(r"An internal error occurred .*cli\.log cannot be written \(.*\)\.\n", err)


def test_a_home_that_cannot_be_written_is_the_users_mistake(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("S2S_HOME", str(tmp_path / "file" / "home"))
    status, _, err = say("worker", "--idle", "0")
    assert status == 2
    assert err.endswith(
        "cannot be made (Not a directory); set it to a folder that can be written.\n"
    )


def test_on_a_hosted_server_the_command_line_works_for_its_operator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = []
    monkeypatch.setenv("S2S_HOSTED", "1")

    def presets(arguments: object) -> None:
        """Notes who works."""
        found.append(asker.current())

    monkeypatch.setattr(parser, "presets", presets)
    assert asker.current() == asker.NOBODY
    assert main(["presets"]) == 0
    assert found == [asker.LOCAL]


def test_a_run_goes_into_a_zip_and_comes_back(say: Say, run: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.zip"
    assert say("export", run, "--to", "run", "--out", out) == (0, f"The run is in {out}\n", "")
    assert say("import", out, "--out", tmp_path / "a")[:2] == (
        0,
        f"The run is in {tmp_path / 'a'}\n",
    )
    status, said, _ = say("import", out)
    assert status == 0
    listed = Path(said.removeprefix("The run is in ").strip())
    assert listed.parent == settings.home() / "runs"
    first, *others = (
        say("translate", each, stdin="1 2 3\n")[1] for each in (run, tmp_path / "a", listed)
    )
    assert others == [first, first]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["export", "demo-tasks", "--to", "runs", "--out", "x"],
            "There is no target `runs`; the nearest are `run`",
        ),
        (["export", "nobody", "--to", "run", "--out", "x"], "There is no run `nobody`"),
        (
            ["export", "demo-tasks", "--to", "run", "--out", "x", "--checkpoint", "last"],
            "`--to run` writes all checkpoints; name none",
        ),
        (
            ["export", "demo-tasks@last", "--to", "run", "--out", "x"],
            "`--to run` writes all checkpoints; name none",
        ),
        (["import", "nothing.zip"], "There is no file or folder `nothing.zip`; give the"),
        (["import", __file__, "--out", "x"], "`test_cli.py` is not a complete .zip file"),
        (
            ["import", __file__, "--tgt-lang", "de"],
            "A run knows its languages and its revision; leave out",
        ),
        (["import", "."], "`.` has no config.json that can be read; give the folder of a Hugging"),
    ],
)
def test_what_cannot_be_exported_or_imported_is_a_sentence(
    say: Say, arguments: list[str], message: str
) -> None:
    status, out, err = say(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_report_writes_one_file(say: Say, tmp_path: Path, run: Path) -> None:
    out = tmp_path / "report.html"
    status, printed, _ = say("report", str(run), "--out", str(out))
    assert status == 0
    assert "The report of step " in printed
    assert "<h2>Curves</h2>" in out.read_text(encoding="utf-8")
    status, _, err = say("report", str(run), "--out", str(out))
    assert status == 2
    assert "exists already" in err


def test_a_training_that_ended_early_says_why_and_how_to_continue_in_its_last_line(
    say: Say, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    settings = ["train.lr=0", "train.watch.patience=1", "train.watch.validate_every=10"]
    words = [word for option in settings for word in ("--set", option)]
    arguments = ["train", "--source", "synthetic:copy", *TINY_ARGUMENTS, *words, "--out", str(out)]
    status, shown, _ = say(*arguments)
    assert status == 0
    last = shown.splitlines()[-1]
    assert last.startswith("Early stopping ended it at step 10 of 30: 1 validation")
    command = last.partition("Continue with: ")[2]
    status, shown, _ = say(*command.split())
    assert (status, "step 20" in shown) == (0, True)  # the next validation


def test_a_wait_for_the_processor_is_printed_once_per_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    line = progress.ProgressLine(30)
    for now in range(0, 150, 5):
        line.tell(f"Waiting: {now}.")
    line.tell("")
    assert capsys.readouterr().err.splitlines() == ["Waiting: 0.", "Waiting: 60.", "Waiting: 120."]
