"""A folder for transformers: its own classes load it, compute the same logits, and write the same text."""

import logging
import runpy
import sys
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

import s2s
from s2s.cli import main
from s2s.config import UserError
from s2s.decode import STRATEGIES
from s2s.jobs.model_import import import_folder
from s2s.model import inference, stepper_for
from s2s.pretrained import export
from tests.conftest import make_run
from tests.logged import logged
from tests.pretrained.export.models import (
    FORMS,
    LENGTH,
    TEXTS,
    perturbed,
    standard_input,
    tokenizer,
    trained,
)

TIED = "specifies to tie shared.weight to lm_head.weight"  # a warning of T5 wherever it is not tied


# The plain Marian and Pegasus: their variants are here, and other tests export them.
@pytest.mark.parametrize("name", [name for name in FORMS if name not in ("Marian", "Pegasus")])
def test_same_logits_and_same_greedy_text(name: str, tmp_path: Path) -> None:
    config = FORMS[name]
    both = tokenizer()
    model = perturbed(config, both.vocab_size, both.vocab_size)
    ours = trained(model, both, both)
    verdict = export.check("transformers", ours)
    export.write(verdict, ours, tmp_path / "out", "# card")
    assert verdict.form is not None
    assert verdict.form.label == name.partition(",")[0]
    assert (tmp_path / "out" / "README.md").read_text() == "# card"

    with logged("transformers", logging.WARNING) as records:
        theirs, loading = AutoModelForSeq2SeqLM.from_pretrained(
            tmp_path / "out", output_loading_info=True
        )
    assert not [said for said in (each.getMessage() for each in records) if TIED not in said]
    assert not any(loading.values()), loading
    encode = AutoTokenizer.from_pretrained(tmp_path / "out")
    batch = encode(list(TEXTS), padding=True, return_tensors="pt")
    source = config.ids.source(both.encode(TEXTS[0]))
    assert batch.input_ids[0, : len(source)].tolist() == source
    generator = torch.Generator().manual_seed(5)
    tgt = torch.randint(4, both.vocab_size, (len(TEXTS), 9), generator=generator)
    tgt[:, 0] = config.ids.start
    with torch.no_grad():
        expected = model(batch.input_ids, tgt)
        found = theirs(**batch, decoder_input_ids=tgt).logits
        texts = theirs.generate(**batch)
    assert (found - expected).abs().max() < 2e-5
    assert expected.std() > 0.1
    assert encode.batch_decode(texts, skip_special_tokens=True) == greedy(model, batch.input_ids)


def greedy(model: torch.nn.Module, src: torch.Tensor) -> list[str]:
    row = STRATEGIES["greedy"]
    with inference(model):
        found = row.make(stepper_for(model, src), row.config(max_new_tokens=LENGTH))
    return [tokenizer().decode(one.hypotheses[0].ids) for one in found]


def test_a_run_is_exported_by_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(tmp_path / "run", {"train.steps": 60, "train.lr": 0.01})
    out = tmp_path / "new" / "out"
    assert main(["export", str(run), "--to", "transformers", "--out", str(out)]) == 0
    assert "Hugging Face transformers (Pegasus)" in capsys.readouterr().out
    assert len({path.stat().st_mode for path in out.iterdir()}) == 1
    ours = s2s.load(run)
    lines = ["3 1 2", "9 4 4 1 7", "5"]
    monkeypatch.chdir(out)
    monkeypatch.setattr(sys, "stdin", standard_input(lines))
    runpy.run_path("translate.py")
    expected = [one.text for one in ours.translate(lines, "greedy")]
    assert capsys.readouterr().out.splitlines() == expected
    assert len(set(expected)) > 1

    import_folder(out, tmp_path / "again")
    again = s2s.load(tmp_path / "again").translate(lines, "greedy")
    assert [one.text for one in again] == expected

    assert main(["export", str(run), "--to", "transformers", "--out", str(out)]) == 2
    assert "exists already; give a folder that does not exist" in capsys.readouterr().err
    assert sorted(path.name for path in out.parent.iterdir()) == ["out"]


def test_an_unknown_target_is_refused() -> None:
    both = tokenizer()
    model = perturbed(FORMS["Pegasus"], both.vocab_size, both.vocab_size)
    with pytest.raises(UserError, match="There is no target `marian`; the nearest"):
        export.check("marian", trained(model, both, both))
