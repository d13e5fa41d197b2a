"""An opened checkpoint leaves as it came: its tokenizer's files, the same weights, ids and greedy text."""

import functools
import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
import torch
import transformers
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

import s2s
from s2s.cli import main
from s2s.config import UserError, override
from s2s.jobs import training
from s2s.jobs.model_import import import_folder
from s2s.model import trained_tensors
from s2s.pretrained import export
from s2s.runs import Run
from tests.pretrained.checkpoints import CONFIGS, make_checkpoint
from tests.pretrained.export.models import standard_input
from tests.tokenizers.checkpoints import FAMILIES, STRINGS

pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
LINES = (
    "to be or not to be",
    "the house",
    "that is the question of 1234 naïve men",
    "to the day .",
    "the\u2028day or\x85the\x0chouse",
)


class Opened(NamedTuple):
    """A checkpoint's folder and the run that was made of it."""

    folder: Path
    run: Run


# By name: a row of CONFIGS, and what differs from it.
CASES: MappingProxyType[str, tuple[str, dict[str, Any]]] = MappingProxyType(
    {
        **{name: (name, {}) for name in CONFIGS},
        "t5_v1.1": ("t5", {"is_tied": False, "tie_word_embeddings": False}),
    }
)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Opened]:
    """Each case is made and opened once."""

    @functools.cache
    def one(case: str) -> Opened:
        name, settings = CASES[case]
        base = tmp_path_factory.mktemp(case)
        make_checkpoint(name, base / "checkpoint", **settings)
        src_lang = "fra" if name == "marian" else ""
        import_folder(base / "checkpoint", base / "run", src_lang=src_lang)
        return Opened(base / "checkpoint", s2s.load(base / "run"))

    return one


def exported(run: Run, target: str, out: Path) -> Path:
    assert main(["export", str(run.folder.path), "--to", target, "--out", str(out)]) == 0
    return out


@pytest.fixture
def script(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[Path], list[str]]:
    """What the script in a folder writes for LINES."""

    def lines_of(folder: Path) -> list[str]:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "stdin", standard_input(LINES))
        capsys.readouterr()
        runpy.run_path("translate.py")
        return capsys.readouterr().out.splitlines()

    return lines_of


def greedy(run: Run) -> list[str]:
    limit = run.starting_settings["max_new_tokens"]
    return [one.text for one in run.translate(LINES, "greedy", max_new_tokens=limit)]


@pytest.mark.parametrize("case", [case for case in CASES if case != "marian_bytes"])
def test_transformers_writes_the_same_and_it_opens_again(
    case: str, opened: Callable[[str], Opened], script: Callable[[Path], list[str]], tmp_path: Path
) -> None:
    one = opened(case)
    out = exported(one.run, "transformers", tmp_path / "out")
    copied = [path for path in one.folder.iterdir() if path.suffix in (".model", ".spm", ".txt")]
    for path in (*copied, *one.folder.glob("*vocab.json")):
        assert (out / path.name).read_bytes() == path.read_bytes()
    _, loading = AutoModelForSeq2SeqLM.from_pretrained(out, output_loading_info=True)
    assert not any(loading.values()), loading
    class_ = getattr(transformers, FAMILIES[CASES[case][0]][1])
    assert isinstance(AutoTokenizer.from_pretrained(out), class_)
    assert script(out) == greedy(one.run)

    import_folder(out, tmp_path / "again")
    again = s2s.load(tmp_path / "again")
    assert again.recipe == one.run.recipe
    assert again.starting_settings == one.run.starting_settings
    for ours, before in (
        (again.src_tokenizer, one.run.src_tokenizer),
        (again.tgt_tokenizer, one.run.tgt_tokenizer),
    ):
        assert ours.encode_many(STRINGS) == before.encode_many(STRINGS)
        assert ours.language == before.language
    tensors = trained_tensors(one.run.model)
    found = trained_tensors(again.model)
    assert all(torch.equal(tensors.pop(key), tensor) for key, tensor in found.items())
    assert not tensors


@pytest.mark.parametrize("case", [case for case in CASES if case not in ("marian", "mbart")])
def test_ctranslate2_writes_the_same(
    case: str, opened: Callable[[str], Opened], script: Callable[[Path], list[str]], tmp_path: Path
) -> None:
    run = opened(case).run
    out = exported(run, "ctranslate2", tmp_path / "out")
    assert script(out) == greedy(run)
    card = (out / "README.md").read_text()
    assert "opened with s2s from a published checkpoint" in card
    for tokenizer in (run.src_tokenizer, run.tgt_tokenizer):
        assert tokenizer.language is None or f"`{tokenizer.language}`" in card


@pytest.mark.slow
def test_a_fine_tuned_checkpoint_leaves_in_its_own_form(
    opened: Callable[[str], Opened], script: Callable[[Path], list[str]], tmp_path: Path
) -> None:
    run = opened("mbart50").run
    changes = {"train.steps": 12, "train.lr": 0.01, "train.warmup_steps": 2, "train.threads": 1}
    recipe = override(run.recipe, {**changes, "train.batch_tokens": 256, "data.max_length": 64})
    (tmp_path / "pairs.tsv").write_text("".join(f"{line}\t{line[::-1]}\n" for line in LINES * 3))
    request = training.RunRequest(recipe, f"{tmp_path}/pairs.tsv", init_from=str(run.folder.path))
    list(training.run(training.start(request, tmp_path / "tuned")))
    tuned = s2s.load(tmp_path / "tuned")
    expected = greedy(tuned)
    assert expected != greedy(run)
    for target in export.TARGETS:
        out = exported(tuned, target, tmp_path / target)
        assert script(out) == expected
        assert "fine-tuned with s2s from a published checkpoint" in (out / "README.md").read_text()


def test_settings_of_an_old_config_move_into_a_file_of_their_own(tmp_path: Path) -> None:
    make_checkpoint("bart", tmp_path / "checkpoint")
    (tmp_path / "checkpoint" / "generation_config.json").unlink()
    path = tmp_path / "checkpoint" / "config.json"
    old = {"num_beams": 4, "no_repeat_ngram_size": 3, "torch_dtype": "float16", "bos_token_id": 0}
    path.write_text(json.dumps(json.loads(path.read_bytes()) | old))
    import_folder(tmp_path / "checkpoint", tmp_path / "run")
    run = s2s.load(tmp_path / "run")
    out = exported(run, "transformers", tmp_path / "out")
    config = json.loads((out / "config.json").read_bytes())
    assert not {"num_beams", "torch_dtype"} & {*config}
    generation = json.loads((out / "generation_config.json").read_bytes())
    assert generation["num_beams"] == 4
    assert "forced_bos_token_id" not in generation  # which no file named
    assert generation["max_new_tokens"] == run.recipe.data.max_length
    import_folder(out, tmp_path / "again")
    assert {"num_beams": 4, "no_repeat_ngram_size": 3}.items() <= (
        s2s.load(tmp_path / "again").starting_settings.items()
    )


def test_the_script_is_greedy_search_also_where_the_checkpoint_samples(
    script: Callable[[Path], list[str]], tmp_path: Path
) -> None:
    make_checkpoint("bart", tmp_path / "checkpoint")
    path = tmp_path / "checkpoint" / "generation_config.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"do_sample": True}))
    import_folder(tmp_path / "checkpoint", tmp_path / "run")
    run = s2s.load(tmp_path / "run")
    out = exported(run, "transformers", tmp_path / "out")
    assert json.loads((out / "generation_config.json").read_bytes())["do_sample"]
    assert script(out) == greedy(run)


def test_what_no_form_has_is_refused(opened: Callable[[str], Opened], tmp_path: Path) -> None:
    run = opened("bart").run
    config = override(run.recipe.model, {"positions.kind": "alibi"})
    model = export.TrainedModel(config, {}, run.src_tokenizer, run.tgt_tokenizer, 10)
    for target in export.TARGETS:
        with pytest.raises(UserError, match=r"`model\.positions\.kind` is alibi"):
            export.check(target, model)
