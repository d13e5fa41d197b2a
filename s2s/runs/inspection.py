"""What the files of a run say that somebody else made: checked, and left without what no run has.

Pages and training trust the files of a run's folder. So a file that is not as they expect is refused here, in a
sentence; of the logs, which a killed process may have left with a broken line, such lines are left out.
"""

from __future__ import annotations

import gzip
import json
import math
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from safetensors import SafetensorError, safe_open

from s2s.config import UserError
from s2s.files import UNREADABLE, write_bytes, write_json
from s2s.model import Transformer, saved_steps, step_sizes
from s2s.runs import attention_history, listing, model_card, source_words
from s2s.runs.store import FORMAT, RunFolder

MOST_NUMBER = 2**53  # beyond, a whole number is none as a float
MOST_DEPTH = 12
MOST_LINE = 2_000_000  # bytes of a line of a log
MOST_ROWS = 1000  # of a list in recipe.json
PAIRS = "pairs.jsonl.gz"
MOST_PAIRS = 1_000_000_000  # bytes of the kept pairs, decompressed
STATE_NAME = re.compile(r"\d{1,6}\.[a-z_]{1,30}|rng\.(cpu|cuda)|trained\.(.+)")
MOST_STATE = 3  # tensors of an optimizer, each as large as the model
FLOATS = frozenset({"F16", "BF16", "F32", "F64"})
COUNTS = frozenset({"I8", "I16"})  # of steps, where the metadata says their size
SPARE = 1_000_000  # numbers of a checkpoint's random generators, and of tensors that are small in any model

Fits = Callable[[Any], bool]


def text(most: int) -> Fits:
    """A string of at most that many characters."""
    return lambda value: isinstance(value, str) and len(value) <= most


def whole(value: Any) -> bool:
    """A whole number from 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def number(value: Any) -> bool:
    """Any number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def several(fits: Fits) -> Fits:
    """A list, each of which fits."""
    return lambda value: (
        isinstance(value, list) and len(value) <= MOST_ROWS and all(map(fits, value))
    )


def named(fits: Fits) -> Fits:
    """An object with any keys, whose values fit."""
    return lambda value: (
        isinstance(value, dict) and len(value) <= MOST_ROWS and all(map(fits, value.values()))
    )


def having(*needed: str, **fields: Fits) -> Fits:
    """An object with the needed ones of these keys, perhaps with the others, and with values that fit."""
    return lambda value: (
        isinstance(value, dict)
        and value.keys() >= {*needed}
        and all(key in fields and fields[key](each) for key, each in value.items())
    )


def maybe(fits: Fits) -> Fits:
    """That, or null."""
    return lambda value: value is None or fits(value)


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


def parsed(content: bytes) -> Any:
    """JSON as this program writes it. Raises ValueError for more than that: NaN, huge numbers, half a character."""
    value = json.loads(content.decode("utf-8"), parse_constant=_no_number)
    _check_plain(value, MOST_DEPTH)
    return value


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _check_plain(value: Any, depth: int) -> None:
    if isinstance(value, str):
        value.encode()  # a lone surrogate is no text: no page could show it
    elif isinstance(value, float):
        if not math.isfinite(value):  # the perplexity of a diverged run may be any other number
            raise ValueError("a number is too large")
    elif isinstance(value, int):
        if not abs(value) <= MOST_NUMBER:
            raise ValueError("a number is too large")
    elif value is not None:
        if depth == 0:
            raise ValueError("lists in lists are too deep")
        if isinstance(value, dict):
            for key in value:
                key.encode()
        for each in value.values() if isinstance(value, dict) else value:
            _check_plain(each, depth - 1)


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
    """Name, tags and note, as those that people type here."""
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
    """Raises UserError where the kept pairs decompress to too much, or not at all."""
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
    """Raises UserError for attention of a model with other layers or heads, or with what is no text."""
    model = folder.recipe().model
    stacks = {"cross": model.decoder, "encoder": model.encoder, "decoder": model.decoder}
    file = f"attention/step-{step:08d}.safetensors"
    try:
        saved = attention_history.load(folder, step)
        shown = saved.attention
        tokens = (*shown.src_tokens, *shown.tgt_inputs, *shown.tgt_tokens)
        _check_plain([saved.source, saved.target, *tokens], 1)
        for kind, stack in stacks.items():
            if shown.view(kind).weights.shape[:2] != (stack.n_layers, stack.n_heads):
                raise ValueError(f"the {kind} attention is of other heads")
    except ValueError as error:
        raise _other(name, file) from error


def _check_tokenizers(folder: RunFolder, name: str) -> None:
    """Raises UserError for a vocabulary of what is no text; what else a tokenizer is, it checks itself when loaded."""
    for path in sorted(folder.path.glob("*tokenizer.json")):
        try:
            parsed(path.read_bytes())
        except UNREADABLE as error:
            raise _other(name, path.name) from error


def _check_ids(folder: RunFolder, name: str) -> None:
    """Raises UserError for special tokens that are in no vocabulary."""
    ids = folder.recipe().model.ids
    of_sources = (ids.pad, ids.eos, *ids.source(()))
    suppressed = (*chain(*ids.suppressed_sequences), *ids.suppressed_first_ids)
    of_targets = (ids.pad, ids.start, ids.eos, ids.tgt_first, *suppressed)
    for tokenizer, given in zip(folder.tokenizers(), (of_sources, of_targets), strict=True):
        if any(id is not None and id >= tokenizer.vocab_size for id in given):
            raise _other(name, "recipe.json", ", in `model.ids`")


def _shapes(folder: RunFolder) -> Mapping[str, tuple[int, ...]]:
    """The shape of every weight of the run's model, by name; no memory is taken for the weights themselves."""
    src, tgt = folder.tokenizers()
    with torch.device("meta"):
        model = Transformer(folder.recipe().model, src.vocab_size, tgt.vocab_size)
    return {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}


def _tensors(name: str, path: Path) -> Mapping[str, tuple[str, tuple[int, ...]]]:
    """Type and shape of every tensor of a safetensors file, from its header. Raises UserError where that is invalid."""
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
    """What resuming reads: weights of the model's shape, and no more of an optimizer than any has."""
    found = _tensors(name, path)
    n_weights = sum(torch.Size(shape).numel() for shape in shapes.values())
    n_numbers = sum(torch.Size(shape).numel() for _, shape in found.values())
    names = {key: STATE_NAME.fullmatch(key) for key in found}
    trained = {match[2]: found[key] for key, match in names.items() if match and match[2]}
    is_whole = not trained or _are_weights(trained, shapes)
    if not all(names.values()) or not is_whole or n_numbers > MOST_STATE * n_weights + SPARE:
        raise _another_shape(name, path)
