"""What the output for one sentence depends on: patched activations, attribution, changed attention weights.

Texts and ids in, arrays out, with a forecast: a large model takes minutes. Knows nothing of processes or screens.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType
from typing import Any, NamedTuple

from torch import Tensor

from s2s.analysis import Head, heads, word_indices
from s2s.config import UserError
from s2s.runs.run import Run
from s2s.runs.states import has_word_tokens

Ids = tuple[int, ...]
Steps = Generator[float, None, Any]

# On one core of an Intel Xeon; accurate within a factor of three.
TOKEN = 4e-11  # seconds of a forward pass per token and parameter
PASS = 2e-9  # and per pass and parameter: the weights are read from memory
BACKWARD = 2.0  # times as long as forward
MAX_OTHERS = 8  # sentences whose attention weights are borrowed
NO_VARIANT = MappingProxyType(
    {
        "heads": "This model has one head per layer, so there is no other head's weights to take.",
        "sentences": "No other sentence of this run has as many source tokens and at least as many target tokens;"
        " choose another change.",
    }
)


@dataclass(frozen=True)
class ProbeInput:
    """Sources, a target, and one `choice` of what the probe can do."""

    sources: tuple[str, ...]
    target: Ids
    choice: str
    settings: Mapping[str, Any]


class Probe(NamedTuple):
    """A question that can be asked of a run, batch by batch, and its answer as JSON and back."""

    ask: Callable[[Run, ProbeInput], Steps]
    n_batches: Callable[[Run, ProbeInput], int]
    seconds: Callable[[Run, ProbeInput], float]
    answer: type[Any]  # a dataclass of arrays and numbers


def source_ids(run: Run, text: str) -> Ids:
    """The ids of a source as the model reads it, `</s>` included."""
    return tuple(run.recipe.model.ids.source(run.src_tokenizer.encode(text)))


def check_sources(run: Run, text_a: str, text_b: str) -> None:
    """Raises UserError for two sources whose positions do not correspond, or that do not differ."""
    a, b = (source_ids(run, text) for text in (text_a, text_b))
    if a == b:
        same = "" if text_a == text_b else ", because unknown words all become `<unk>`"
        raise UserError(f"Sources A and B are the same for this model{same}; change a word of B.")
    if len(a) != len(b):
        names = [" ".join(run.src_tokenizer.tokens(ids)) for ids in (a, b)]
        raise UserError(
            f"Source A has {len(a)} tokens ({names[0]}) and source B has {len(b)} ({names[1]}); positions only"
            " correspond in sources of equally many tokens, so choose words that are tokenized alike."
        )


def first_disagreement(rows_a: Tensor, rows_b: Tensor) -> int | None:
    """The first position of a target, from 0, at which two runs prefer different tokens; None if there is none.

    Both are log-probabilities under teacher forcing, (tgt_len, vocab), as `Run.next_tokens` gives them.
    """
    differs = (rows_a.argmax(-1) != rows_b.argmax(-1)).nonzero()
    return int(differs[0]) if len(differs) else None


def contrast(run: Run, given: ProbeInput) -> heads.Contrast:
    """What two sources are compared by: both, the prefix before the measured position, and two tokens (settings)."""
    a, b = (source_ids(run, text) for text in given.sources)
    prefix = (run.recipe.model.ids.start, *given.target)
    return heads.Contrast(a, b, prefix, given.settings["token_a"], given.settings["token_b"])


def _patch(run: Run, given: ProbeInput) -> Steps:
    return heads.PATCHES[given.choice].patch(run.model, contrast(run, given))


def _n_patches(run: Run, given: ProbeInput) -> int:
    return heads.PATCHES[given.choice].n_patches(run.recipe.model, contrast(run, given))


def _patch_seconds(run: Run, given: ProbeInput) -> float:
    n_tokens = len(source_ids(run, given.sources[0])) + len(given.target) + 1
    n_patches = _n_patches(run, given)
    return _forecast(run, n_patches * n_tokens, _n_patch_batches(run, given))


def _n_patch_batches(run: Run, given: ProbeInput) -> int:
    return ceil(_n_patches(run, given) / heads.PATCH_ROWS)


def _attribute(run: Run, given: ProbeInput) -> Steps:
    (text,) = given.sources
    src = source_ids(run, text)
    tgt = (run.recipe.model.ids.start, *given.target)
    words = word_indices(run.src_tokenizer.tokens(src), is_whole=has_word_tokens(run))
    pair = heads.AttributionInput(src, tgt, tuple(words.tolist()), **given.settings)
    return heads.ATTRIBUTIONS[given.choice].attribute(run.model, pair)


def _n_attribution_batches(run: Run, given: ProbeInput) -> int:
    return ceil(_n_attribution_rows(run, given) / heads.ATTRIBUTION_ROWS) + 1


def _n_attribution_rows(run: Run, given: ProbeInput) -> int:
    if given.choice == "integrated":
        return int(given.settings.get("n_steps", heads.STEPS))
    return 1 if given.choice == "gradient" else len(source_ids(run, given.sources[0]))


def _attribution_seconds(run: Run, given: ProbeInput) -> float:
    n_tokens = len(source_ids(run, given.sources[0])) + len(given.target)
    passes = 1 if given.choice == "occlusion" else 1 + BACKWARD * len(given.target)
    n_rows = _n_attribution_rows(run, given)
    n_passes = passes * _n_attribution_batches(run, given)
    return _forecast(run, passes * n_rows * n_tokens, n_passes)


def _change_weights(run: Run, given: ProbeInput) -> Steps:
    """Change attention weights of the first source; the others lend theirs. Settings: `layer`, `head`, or all heads."""
    text, *others = given.sources
    src = source_ids(run, text)
    tgt = (run.recipe.model.ids.start, *given.target[:-1])
    weights = heads.cross_weights(run.model, src, tgt)
    is_borrowed = given.choice == "sentences"
    borrowed = _borrowed(run, others, len(src), len(tgt)) if is_borrowed else []
    variants = heads.WEIGHT_CHANGES[given.choice].variants(weights, borrowed)
    if not len(variants):
        raise UserError(NO_VARIANT[given.choice])
    chosen = None
    if "layer" in given.settings:
        chosen = [Head("cross", given.settings["layer"], given.settings["head"])]
    return heads.shift_output(run.model, src, tgt, variants, chosen)


def _borrowed(run: Run, texts: Sequence[str], src_len: int, tgt_len: int) -> list[Tensor]:
    found = [
        (source_ids(run, one.source), one.hypotheses[0].ids)
        for one in run.translate(texts, "greedy")
        if one.hypotheses
    ]
    return [
        heads.cross_weights(run.model, src, (run.recipe.model.ids.start, *ids[:-1]))
        for src, ids in found
        if len(src) == src_len and len(ids) >= tgt_len
    ][:MAX_OTHERS]


def _n_variants(run: Run, given: ProbeInput) -> int:
    n_heads = run.recipe.model.decoder.n_heads
    return {"permuted": heads.SEEDS, "uniform": 1, "heads": n_heads - 1}.get(
        given.choice, MAX_OTHERS
    )


def _n_change_batches(run: Run, given: ProbeInput) -> int:
    n_batches = ceil(_n_variants(run, given) * len(given.target) / heads.SHIFT_ROWS)
    return n_batches + _decoding_steps(run, given)


def _decoding_steps(run: Run, given: ProbeInput) -> int:
    return run.recipe.data.max_length if given.choice == "sentences" else 0


def _change_seconds(run: Run, given: ProbeInput) -> float:
    n_rows = _n_variants(run, given) * len(given.target)
    n_rows += _decoding_steps(run, given)
    return _forecast(run, n_rows * len(given.target), _n_change_batches(run, given))


def _forecast(run: Run, n_tokens: float, n_passes: float) -> float:
    return run.n_parameters * (n_tokens * TOKEN + n_passes * PASS)


# By the kind of a decode request.
PROBES: Mapping[str, Probe] = MappingProxyType(
    {
        "patching": Probe(_patch, _n_patch_batches, _patch_seconds, heads.PatchingResult),
        "attribution": Probe(
            _attribute, _n_attribution_batches, _attribution_seconds, heads.Attribution
        ),
        "changed weights": Probe(
            _change_weights, _n_change_batches, _change_seconds, heads.OutputShift
        ),
    }
)


def answered(run: Run, kind: str, given: ProbeInput) -> Any:
    """The answer of a probe; calls the run's `on_step` after each batch."""
    steps = PROBES[kind].ask(run, given)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
        if run.on_step:
            run.on_step()
