"""A folder for CTranslate2: the same log-probabilities of tokens, and the same greedy text."""

import runpy
import sys
from pathlib import Path

import ctranslate2
import pytest
import tokenizers
import torch

import s2s
from s2s.cli import main
from s2s.config import ModelConfig, UserError
from s2s.decode import STRATEGIES
from s2s.model import Transformer, inference, stepper_for
from s2s.pretrained import export
from s2s.pretrained.export import ctranslate2_folder
from s2s.tokenizers import Tokenizer
from tests.conftest import make_run
from tests.pretrained.export.models import (
    FORMS,
    LENGTH,
    MORE,
    TEXTS,
    perturbed,
    standard_input,
    tokenizer,
    trained,
)


# The plain Marian and Pegasus: their variants are here, and other tests export them.
@pytest.mark.parametrize(
    "name", [*(name for name in FORMS if name not in ("Marian", "Pegasus")), *MORE]
)
def test_same_log_probs_and_same_greedy_text(name: str, tmp_path: Path) -> None:
    config: ModelConfig = {**FORMS, **MORE}[name]
    ours = tokenizer("bpe")
    target = ours if config.embeddings.shared else tokenizer("word")
    model = perturbed(config, ours.vocab_size, target.vocab_size)
    source = trained(model, ours, target)
    export.write(export.check("ctranslate2", source), source, tmp_path / "out", "")

    src = tokenizers.Tokenizer.from_file(str(tmp_path / "out" / "src.tokenizer.json"))
    tgt = tokenizers.Tokenizer.from_file(str(tmp_path / "out" / "tgt.tokenizer.json"))
    src.encode_special_tokens = True
    ids = [config.ids.source(ours.encode(text)) for text in TEXTS]
    batch = [src.encode(text).tokens for text in TEXTS]
    assert [src.encode(text).ids for text in TEXTS] == ids

    translator = ctranslate2.Translator(
        str(tmp_path / "out"), device="cpu", inter_threads=1, intra_threads=1
    )
    generator = torch.Generator().manual_seed(5)
    labels = torch.randint(4, target.vocab_size, (len(TEXTS), 9), generator=generator)
    named = [[tgt.id_to_token(each) for each in row] for row in labels.tolist()]
    scores = translator.score_batch(batch, named)
    found = torch.tensor([one.log_probs[:-1] for one in scores])  # without that of `</s>`
    expected = token_log_probs(model, padded(ids), labels)
    assert (found - expected).abs().max() < 1e-4
    assert expected.std() > 0.1
    translations = translator.translate_batch(
        batch, beam_size=1, min_decoding_length=0, max_decoding_length=LENGTH
    )
    texts = [tgt.decode([*map(tgt.token_to_id, one.hypotheses[0])]) for one in translations]
    row = STRATEGIES["greedy"]
    with inference(model):
        results = row.make(stepper_for(model, padded(ids)), row.config(max_new_tokens=LENGTH))
    assert texts == [target.decode(one.hypotheses[0].ids) for one in results]


def test_the_script_cuts_no_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = tokenizer("char")
    model = perturbed(MORE["modern"], ours.vocab_size, ours.vocab_size)
    source = trained(model, ours, ours)
    export.write(export.check("ctranslate2", source), source, tmp_path / "out", "")
    text = "a" * 700 + "b" * 500
    monkeypatch.chdir(tmp_path / "out")
    monkeypatch.setattr(sys, "stdin", standard_input([text]))
    runpy.run_path("translate.py")
    expected = greedy(model, ours, text)
    assert capsys.readouterr().out == f"{expected}\n"
    assert expected != greedy(model, ours, text[:1024])


def greedy(model: Transformer, ours: Tokenizer, text: str) -> str:
    row = STRATEGIES["greedy"]
    src = torch.tensor([[*ours.encode(text), model.config.ids.eos]])
    with inference(model):
        found = row.make(stepper_for(model, src), row.config(max_new_tokens=LENGTH))
    return ours.decode(found[0].hypotheses[0].ids)


def padded(rows: list[list[int]]) -> torch.Tensor:
    longest = max(map(len, rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])


def token_log_probs(model: Transformer, src: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    start = torch.full((len(labels), 1), model.config.ids.start)
    with inference(model):
        logits = model(src, torch.cat([start, labels], 1)[:, :-1])
    return logits.log_softmax(-1).gather(2, labels[..., None])[..., 0]


def test_a_run_with_two_vocabularies_is_exported_by_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    two = {"tokenizer.shared": False, "model.embeddings.shared": False}
    run = make_run(tmp_path / "run", {"train.steps": 60, "train.lr": 0.01, **two})
    out = tmp_path / "out"
    assert main(["export", str(run), "--to", "transformers", "--out", str(out)]) == 2
    assert "`tokenizer.shared` is false" in capsys.readouterr().err
    assert not out.exists()
    assert main(["export", str(run), "--to", "ctranslate2", "--out", str(out)]) == 0
    assert "for CTranslate2" in capsys.readouterr().out
    lines = ["3 1 2", "9 4 4 1 7", "5"]
    monkeypatch.chdir(out)
    monkeypatch.setattr(sys, "stdin", standard_input(lines))
    runpy.run_path("translate.py")
    expected = [one.text for one in s2s.load(run).translate(lines, "greedy")]
    assert capsys.readouterr().out.splitlines() == expected
    assert len(set(expected)) > 1


def test_without_the_package_it_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ctranslate2_folder, "find_spec", lambda name: None)
    ours = tokenizer("char")
    model = trained(perturbed(FORMS["Pegasus"], ours.vocab_size, ours.vocab_size), ours, ours)
    with pytest.raises(UserError, match="pip install ctranslate2"):
        export.write(export.check("ctranslate2", model), model, tmp_path / "out", "")
    assert list(tmp_path.iterdir()) == []
