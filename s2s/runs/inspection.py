"""What the files of a run say that somebody else made: checked, and left without what no run has.

Pages and training trust the files of a run's folder. So a file that is not as they expect is refused here, in a
sentence; of the logs, which a killed process may have left with a broken line, such lines are left out.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from safetensors import SafetensorError, safe_open

from s2s.config import UserError
from s2s.files import UNREADABLE, write_bytes, write_json
from s2s.model import Transformer, are_usable, saved_steps, step_sizes
from s2s.runs import attention_history, listing, model_card, source_words
from s2s.runs.json_shapes import (
    Fits,
    check_plain,
    having,
    maybe,
    named,
    number,
    parsed,
    several,
    text,
    whole,
)
from s2s.runs.store import FORMAT, RunFolder

MOST_LINE = 2_000_000  # bytes of a line of a log
MOST_TOKENS = 300_000  # of a vocabulary, whose loading every visitor would wait for
PAIRS = "pairs.jsonl.gz"
MOST_PAIRS = 1_000_000_000  # bytes of the kept pairs, decompressed
STATE_NAME = re.compile(r"\d{1,6}\.[a-z_]{1,30}|rng\.(cpu|cuda)|trained\.(.+)")
MOST_STATE = 3  # tensors of an optimizer, each as large as the model
FLOATS = frozenset({"F16", "BF16", "F32", "F64"})
COUNTS = frozenset({"I8", "I16"})  # of steps, where the metadata says their size
SPARE = 1_000_000  # numbers of a checkpoint's random generators, and of tensors that are small in any model

WORD = text(200)
SPEC = text(4000)
SENTENCE = text(20_000)
# What recipe.json may say beside the recipe, whose settings check themselves; name, tags and note are cleaned. Not its
# owner, and not its command, which people copy into a terminal: both are written by whoever opens the run.
ABOUT: Mapping[str, Fits] = MappingProxyType(
    {
        "format": whole,
        "created": WORD,
        "name": SENTENCE,
        "tags": several(SENTENCE),
        "comment": SENTENCE,
        "preset": WORD,
        "source": SPEC,
        "valid": maybe(SPEC),
        "data": having(
            "train_hash",
            "valid_hash",
            "notes",
            train_hash=WORD,
            valid_hash=WORD,
            **dict.fromkeys(("n_train", "n_valid", "n_dropped", "longest"), whole),
            reads=WORD,
            dropped=named(whole),
            task=WORD,
            notes=several(SENTENCE),
        ),
        "versions": named(WORD),
        "machine": WORD,
        "init_from": maybe(having("run", "step", run=SPEC, step=whole)),
        "imported": having(
            "from",
            **{"from": SPEC, "revision": WORD},
            **dict.fromkeys(("family", "src_lang", "tgt_lang"), WORD),
        ),
        "starting_settings": named(
            lambda value: number(value) or value in (True, False) or SPEC(value)
        ),
        "changes": several(having("step", step=whole, lr=number, steps=whole, time=WORD)),
        "plan": several(having("step", "steps", step=whole, steps=whole)),
        "warnings": several(SENTENCE),
        "attribution": text(500),
        "card": model_card.is_card,
        "asked_from": whole,
        "recipe": lambda value: isinstance(value, dict),
    }
)
NEEDED = ("created", "name", "preset", "source", "data")
STATUS: Mapping[str, Fits] = MappingProxyType(
    {
        "format": whole,
        "state": WORD,
        "updated": WORD,
        "step": whole,
        "steps": whole,
        "best_step": maybe(whole),
        "best_loss": maybe(number),
        "token_accuracy": maybe(number),
        "ended": SENTENCE,
    }
)
TRANSLATION = text(MOST_LINE)  # as long as its line may be
SAMPLE: Mapping[str, Fits] = MappingProxyType(
    {"step": whole, "source": TRANSLATION, "reference": TRANSLATION, "text": TRANSLATION}
)


def inspect(folder: RunFolder, name: str) -> None:
    """Checks every file of a run that was just unpacked; `name` is what errors call it. Raises UserError."""
    _clean_recipe(folder, name)
    _clean_json(folder, name, "status.json", STATUS)
    _clean_log(folder.path / "metrics.jsonl", _is_metric)
    _clean_log(folder.path / "samples.jsonl", _is_sample)
    _check_pairs(folder, name)
    source_words.read(folder.path)
    _check_tokenizers(folder, name)
    _check_ids(folder, name)
    shapes = _shapes(folder)
    for step in saved_steps(folder.checkpoints):
        _check_weights(folder, name, f"step-{step:08d}", shapes)
    for path in sorted(folder.checkpoints.glob("*.state.safetensors")):
        _check_state(name, path, shapes)
    for step in attention_history.saved_steps(folder):
        _check_attention(folder, name, step)
    row = listing.row_of(folder.path)
    if row is None or row.error:
        raise UserError(row.error if row else f"`{name}` holds no run.")


def _clean_recipe(folder: RunFolder, name: str) -> None:
    """Writes recipe.json again, with what a run has; raises UserError for other settings, and a newer format."""
    try:
        parsed((folder.path / "recipe.json").read_bytes())
    except UNREADABLE as error:
        raise _other(name, "recipe.json") from error
    about = folder.about()
    folder.recipe()
    known = {key: about[key] for key in ABOUT if key in about}
    if wrong := [key for key in known if not ABOUT[key](known[key])]:
        raise _other(name, "recipe.json", f", in `{wrong[0]}`")
    if lacks := [key for key in NEEDED if key not in known]:
        raise UserError(f"`recipe.json` in `{name}` lacks `{lacks[0]}`, which every run has.")
    folder.write_about(known | _cleaned(known))


def _cleaned(about: Mapping[str, Any]) -> dict[str, Any]:
    tags = [tag for tag in map(listing.clean_name, about.get("tags", ())) if tag]
    lines = map(listing.clean_name, about.get("comment", "").splitlines())
    found = {
        "name": listing.clean_name(about["name"])[: listing.LONGEST_NAME],
        "tags": [tag[: listing.LONGEST_TAG] for tag in tags][: listing.MOST_TAGS],
        "comment": "\n".join(lines).strip()[: listing.LONGEST_COMMENT],
    }
    return {key: value for key, value in found.items() if key in about}


def _other(name: str, file: str, where: str = "") -> UserError:
    return UserError(
        f"`{file}` in `{name}` says something that no run does{where}; export the run again from where it was trained."
    )


def _clean_json(folder: RunFolder, name: str, file: str, known: Mapping[str, Fits]) -> None:
    path = folder.path / file
    if not path.exists():
        return
    try:
        content = parsed(path.read_bytes())
        kept = {key: content[key] for key in known if key in content}
        is_known = all(known[key](value) for key, value in kept.items())
        if not is_known or kept.get("format", FORMAT) > FORMAT:
            raise ValueError("unknown content")
    except UNREADABLE as error:
        raise _other(name, file) from error
    write_json(path, kept)


def _clean_log(path: Path, fits: Fits) -> None:
    """Leaves out the lines that a reader could not use: they are broken, or were never written by a training."""
    if not path.exists():
        return
    content = path.read_bytes()
    kept = b"".join(line + b"\n" for line in _usable(content, fits))
    if kept != content:
        write_bytes(path, kept)


def _usable(content: bytes, fits: Fits) -> Iterator[bytes]:
    for line in content.split(b"\n"):
        try:
            if len(line) <= MOST_LINE and fits(parsed(line)):
                yield line
        except UNREADABLE:  # left out, as by every reader of a log
            continue


def _is_metric(line: Any) -> bool:
    return isinstance(line, dict) and whole(line.get("step")) and WORD(line.get("kind"))


def _is_sample(line: Any) -> bool:
    return isinstance(line, dict) and all(fits(line.get(key)) for key, fits in SAMPLE.items())


def _check_pairs(folder: RunFolder, name: str) -> None:
    path = folder.path / PAIRS
    if not path.exists():
        return
    total = 0
    try:
        with gzip.open(path) as file:
            while block := file.read(1 << 20):
                total += len(block)
                if total > MOST_PAIRS:
                    raise ValueError("too much")
    except (*UNREADABLE, EOFError, zlib.error) as error:
        raise _other(name, PAIRS) from error


def _check_attention(folder: RunFolder, name: str, step: int) -> None:
    model = folder.recipe().model
    stacks = {"cross": model.decoder, "encoder": model.encoder, "decoder": model.decoder}
    file = f"attention/step-{step:08d}.safetensors"
    try:
        saved = attention_history.load(folder, step)
        shown = saved.attention
        tokens = (*shown.src_tokens, *shown.tgt_inputs, *shown.tgt_tokens)
        check_plain([saved.source, saved.target, *tokens], 1)
        for kind, stack in stacks.items():
            if shown.view(kind).weights.shape[:2] != (stack.n_layers, stack.n_heads):
                raise ValueError(f"the {kind} attention is of other heads")
    except ValueError as error:
        raise _other(name, file) from error


def _check_tokenizers(folder: RunFolder, name: str) -> None:
    for path in sorted(folder.path.glob("*tokenizer.json")):
        try:
            content = parsed(path.read_bytes())
        except UNREADABLE as error:
            raise _other(name, path.name) from error
        if (n := _most_entries(content)) > MOST_TOKENS:
            raise UserError(
                f"`{path.name}` in `{name}` has a list of {n:,} entries, and a vocabulary has at most {MOST_TOKENS:,}"
                " here; export a run with a smaller one."
            )


def _most_entries(value: Any) -> int:
    if not isinstance(value, (dict, list)):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return max(len(value), *map(_most_entries, inner), 0)


def _check_ids(folder: RunFolder, name: str) -> None:
    ids = folder.recipe().model.ids
    of_sources = (ids.pad, ids.eos, *ids.source(()))
    suppressed = (*chain(*ids.suppressed_sequences), *ids.suppressed_first_ids)
    of_targets = (ids.pad, ids.start, ids.eos, ids.tgt_first, *suppressed)
    for tokenizer, given in zip(folder.tokenizers(), (of_sources, of_targets), strict=True):
        if any(id is not None and id >= tokenizer.vocab_size for id in given):
            raise _other(name, "recipe.json", ", in `model.ids`")


def _shapes(folder: RunFolder) -> Mapping[str, tuple[int, ...]]:
    src, tgt = folder.tokenizers()
    with torch.device("meta"):
        model = Transformer(folder.recipe().model, src.vocab_size, tgt.vocab_size)
    return {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}


def _tensors(name: str, path: Path) -> Mapping[str, tuple[str, tuple[int, ...]]]:
    try:
        with safe_open(path, "np") as file:
            slices = {key: file.get_slice(key) for key in file.keys()}  # noqa: SIM118 (no mapping)
            return {
                key: (str(each.get_dtype()), tuple(each.get_shape()))
                for key, each in slices.items()
            }
    except (OSError, SafetensorError) as error:
        raise UserError(
            f"`{path.parent.name}/{path.name}` in `{name}` is no complete .safetensors file; export the run again from"
            " where it was trained."
        ) from error


def _check_weights(
    folder: RunFolder, name: str, stem: str, shapes: Mapping[str, tuple[int, ...]]
) -> None:
    path = folder.checkpoints / f"{stem}.safetensors"
    found = _tensors(name, path)
    try:
        steps = step_sizes(path)
    except (ValueError, TypeError):
        steps = {}
    counted = {key for key, (kind, _) in found.items() if kind in COUNTS and key in steps}
    kinds = {
        key: ("F32" if key in counted else kind, shape) for key, (kind, shape) in found.items()
    }
    if not _are_weights(kinds, shapes):
        raise _another_shape(name, path)
    with safe_open(path, "pt") as file:
        if not all(are_usable(file.get_tensor(key)) for key in found if key not in counted):
            raise UserError(
                f"`checkpoints/{path.name}` in `{name}` has weights that are no finite numbers, or larger than any"
                " training makes; export the run without that checkpoint."
            )


def _are_weights(
    found: Mapping[str, tuple[str, tuple[int, ...]]], shapes: Mapping[str, tuple[int, ...]]
) -> bool:
    return {key: shape for key, (_, shape) in found.items()} == shapes and all(
        kind in FLOATS for kind, _ in found.values()
    )


def _another_shape(name: str, path: Path) -> UserError:
    return UserError(
        f"`checkpoints/{path.name}` in `{name}` has weights of another shape than its recipe.json describes; export"
        " the run again from where it was trained."
    )


def _check_state(name: str, path: Path, shapes: Mapping[str, tuple[int, ...]]) -> None:
    found = _tensors(name, path)
    n_weights = sum(torch.Size(shape).numel() for shape in shapes.values())
    n_numbers = sum(torch.Size(shape).numel() for _, shape in found.values())
    names = {key: STATE_NAME.fullmatch(key) for key in found}
    trained = {match[2]: found[key] for key, match in names.items() if match and match[2]}
    is_whole = not trained or _are_weights(trained, shapes)
    if not all(names.values()) or not is_whole or n_numbers > MOST_STATE * n_weights + SPARE:
        raise _another_shape(name, path)
