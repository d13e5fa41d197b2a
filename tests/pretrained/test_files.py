"""The forms that checkpoints come in, and what is said of those that cannot be opened."""

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import safetensors.torch
import torch
from torch import Tensor

from s2s.config import UserError
from s2s.pretrained import FAMILIES, families, read_model
from tests.pretrained.test_parity import save_and_read

WEIGHTS = "model.safetensors"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_and_read("marian", tmp_path_factory.mktemp("marian")).folder


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    return shutil.copytree(saved, tmp_path / "opus")


def tensors(folder: Path) -> dict[str, Tensor]:
    return safetensors.torch.load_file(folder / WEIGHTS)


def save(folder: Path, content: dict[str, Tensor]) -> None:
    safetensors.torch.save_file(content, folder / WEIGHTS)


def amend(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def same(folder: Path, saved: Path, tolerance: float = 0.0) -> None:
    ours = read_model(folder).tensors
    expected = read_model(saved).tensors
    assert ours.keys() == expected.keys()
    for name, tensor in ours.items():
        assert tensor.dtype == torch.float32
        torch.testing.assert_close(tensor, expected[name], rtol=0, atol=tolerance)


def as_torch_file(folder: Path) -> None:
    """As old checkpoints are: with every copy of a shared table, and tables of sines that nobody needs."""
    content = tensors(folder)
    table = content["model.shared.weight"]
    copies = ("model.encoder.embed_tokens", "model.decoder.embed_tokens", "lm_head")
    content |= {f"{name}.weight": table for name in copies}
    content["model.encoder.embed_positions.weight"] = torch.zeros(20, 24)
    torch.save(content, folder / "pytorch_model.bin")
    (folder / WEIGHTS).unlink()


def as_shards(folder: Path) -> None:
    content = tensors(folder)
    names = sorted(content)
    shards = {"a.safetensors": names[::2], "b.safetensors": names[1::2]}
    for file, part in shards.items():
        safetensors.torch.save_file({name: content[name] for name in part}, folder / file)
    weight_map = {name: file for file, part in shards.items() for name in part}
    (folder / f"{WEIGHTS}.index.json").write_text(json.dumps({"weight_map": weight_map}))
    (folder / WEIGHTS).unlink()


def in_half_precision(folder: Path) -> None:
    save(folder, {name: tensor.bfloat16() for name, tensor in tensors(folder).items()})


@pytest.mark.parametrize(
    ("change", "tolerance"), [(as_torch_file, 0.0), (as_shards, 0.0), (in_half_precision, 0.01)]
)
def test_every_form_of_weights_gives_the_same_model(
    change: Callable[[Path], None], tolerance: float, folder: Path, saved: Path
) -> None:
    change(folder)
    same(folder, saved, tolerance)


def truncated(folder: Path) -> None:
    path = folder / WEIGHTS
    path.write_bytes(path.read_bytes()[:-100])


class _Code:
    def __reduce__(self) -> Any:
        return print, ("run",)


def with_code(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"x": _Code()}, protocol=2))


def expanded(folder: Path) -> None:
    as_torch_file(folder)
    one = torch.zeros(1).expand(10**9, 10**9)
    torch.save({"model.shared.weight": one}, folder / "pytorch_model.bin")


def sparse(folder: Path) -> None:
    as_torch_file(folder)
    nothing = torch.sparse_coo_tensor(size=(10**9, 10**9), check_invariants=True)
    torch.save({"model.shared.weight": nothing}, folder / "pytorch_model.bin")


def extra(folder: Path) -> None:
    save(folder, {**tensors(folder), "model.encoder.adapter.weight": torch.ones(2)})


def lacking(folder: Path) -> None:
    content = tensors(folder)
    del content["model.decoder.layers.1.fc1.weight"]
    save(folder, content)


def misshapen(folder: Path) -> None:
    save(folder, {**tensors(folder), "model.encoder.layers.0.fc1.bias": torch.ones(7)})


def scalar(folder: Path) -> None:
    save(folder, {**tensors(folder), "model.shared.weight": torch.tensor(1.0)})


def quantized(folder: Path) -> None:
    table = tensors(folder)["model.encoder.layers.0.fc1.weight"]
    save(folder, {**tensors(folder), "model.encoder.layers.0.fc1.weight": table.to(torch.int8)})


def diverged(folder: Path) -> None:
    save(folder, {name: tensor * torch.nan for name, tensor in tensors(folder).items()})


def without(*names: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return change


def outside(folder: Path) -> None:
    as_shards(folder)
    index = folder / f"{WEIGHTS}.index.json"
    index.write_text(json.dumps({"weight_map": {"x": "../opus/a.safetensors"}}))


def says(**changes: Any) -> Callable[[Path], None]:
    return lambda folder: amend(folder, **changes)


def without_setting(name: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "config.json"
        content = json.loads(path.read_text())
        del content[name]
        path.write_text(json.dumps(content))

    return change


BAD: MappingProxyType[str, tuple[Callable[[Path], None], str]] = MappingProxyType(
    {
        "truncated": (truncated, "model.safetensors cannot be read: it is truncated"),
        "code": (with_code, "holds Python objects besides tensors, which could run code"),
        "expanded": (expanded, "`model.shared.weight` of pytorch_model.bin has more numbers than"),
        "sparse": (sparse, "`model.shared.weight` of pytorch_model.bin has more numbers than"),
        "extra": (extra, "The tensor `model.encoder.adapter.weight` is unexpected"),
        "lacking": (lacking, "our `decoder.layers.1.feed_forward.up.weight` is missing"),
        "misshapen": (
            misshapen,
            "`model.encoder.layers.0.fc1.bias` has the shape 7, where config.json means 40",
        ),
        "scalar": (scalar, "has the shape 40, where config.json means 1"),
        "quantized": (quantized, r"`model.encoder.layers.0.fc1.weight` holds torch.int8 numbers"),
        "diverged": (diverged, "holds NaN, as after a training that diverged"),
        "empty": (without("config.json"), "has no config.json that can be read"),
        "weightless": (without(WEIGHTS), "has no weights; it needs model.safetensors or"),
        "outside": (outside, "which is not in the folder"),
        "unknown": (
            says(model_type="whisper"),
            "`whisper`, which s2s does not open; give one of T5, mT5, Marian, BART, mBART, Pegasus, M2M100 and NLLB",
        ),
        "decoder-only": (
            says(model_type="gpt2", architectures=["GPT2LMHeadModel", "XForCausalLM"]),
            "`gpt2` is a decoder-only model",
        ),
        "setting": (without_setting("encoder_layers"), "config.json does not say `encoder_layers`"),
        "kind": (says(encoder_layers="six"), "`n_layers` is 'six'; give a whole number"),
        "length": (says(max_position_embeddings="x"), "has a setting of the wrong kind"),
        "activation": (says(activation_function="mish"), "no activation function `mish`"),
        "ids": (says(eos_token_id=400), "The special id 400 has no row among the 40"),
    }
)


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_opened_is_said_in_a_sentence(name: str, folder: Path) -> None:
    change, sentence = BAD[name]
    change(folder)
    (folder / "generation_config.json").unlink()
    with pytest.raises(UserError, match=sentence) as said:
        read_model(folder)
    assert str(said.value).count("\n") == 0


def test_a_table_that_config_calls_separate_must_be_there(folder: Path) -> None:
    amend(folder, tie_word_embeddings=False)
    with pytest.raises(UserError, match=r"our `output\.weight` is missing"):
        read_model(folder)


def test_old_files_have_generation_settings_in_config(folder: Path) -> None:
    (folder / "generation_config.json").unlink()
    amend(folder, num_beams=6, bad_words_ids=[[39], [3, 4]], min_length=4, top_k=9)
    published = read_model(folder)
    assert published.settings == {"num_beams": 6, "min_new_tokens": 3}
    assert published.config.ids.suppressed == "3 4,39"


def test_of_several_ends_of_a_text_the_first_is_used(folder: Path) -> None:
    path = folder / "generation_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"eos_token_id": [0, 7]}))
    published = read_model(folder)
    assert published.config.ids.eos == 0
    assert published.notes == (
        "`eos_token_id` of its generation settings names 2 tokens; only the first, 0, ends a text here.",
    )


def test_a_length_of_one_asks_for_no_token_beside_the_end(folder: Path) -> None:
    (folder / "generation_config.json").unlink()
    amend(folder, min_length=1, max_length=1)
    assert read_model(folder).settings == {"max_new_tokens": 1, "min_new_tokens": 0}


def test_one_more_family_is_a_row(
    folder: Path, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    amend(folder, model_type="toy")
    monkeypatch.setattr(families, "FAMILIES", {**FAMILIES, "toy": FAMILIES["marian"]})
    same(folder, saved)
