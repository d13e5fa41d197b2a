"""What can be asked of heads: what they do over many sentences, and what the model loses without them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from s2s.config import UserError
from s2s.lessons.answers.translation import translated
from s2s.lessons.verdict import Answer, Condition, Context, Heads, Verdict

N_SENTENCES = 500  # of the measurements that ship with the demo runs
MOST_OFF = 4  # heads


Numbers = npt.NDArray[np.float64]


def measured(context: Context, experiment: str) -> dict[str, Any]:
    """The result of an experiment over the first test set of the run, as Heads shows it at first.

    Raises UserError where it has not been measured.
    """
    from s2s.jobs import head_service, test_sets
    from s2s.runs import Measurement, Sentences

    run = context.opened()
    name = run.folder.id
    splits = test_sets.splits_of_run(name)
    if splits:
        sample = Sentences("", split=splits[0], run=name, n=N_SENTENCES)
        found = head_service.result(Measurement(name, run.step, experiment, sample))
        if found is not None:
            return found
    raise UserError(
        "This has not been measured for the run on the screen; open the step's view again, or measure it on Heads."
    )


def _largest(values: npt.NDArray[np.float64], n: int = 2) -> list[tuple[int, int]]:
    """The `n` heads of the largest values, largest first; layers and heads from 1."""
    order = np.argsort(-values, axis=None, kind="stable")[:n]
    layers, heads = np.unravel_index(order, values.shape)
    return [(int(layer) + 1, int(head) + 1) for layer, head in zip(layers, heads, strict=True)]


def _first_and_second(values: Numbers, said: Mapping[tuple[int, int], str]) -> Heads:
    first, *second = _largest(values)
    return Heads(frozenset({first}), frozenset(second), measured=said)


def _said(values: Numbers, words: str) -> dict[tuple[int, int], str]:
    """What was measured of each head, from 1, in words; nothing of a head that is left out, which has NaN."""
    return {
        (layer + 1, head + 1): words.format(value)
        for (layer, head), value in np.ndenumerate(values)
        if not np.isnan(value)
    }


def least_monotonic_head(context: Context) -> Heads:
    """The head of cross-attention that follows the source least."""
    found = measured(context, "roles")["kinds"]["cross"]["strengths"]["aligned"]
    strengths = np.array(found, dtype=float)
    return _first_and_second(-strengths, _said(strengths, "a *monotonic* strength of {:.2f}"))


def most_important_cross_head(context: Context) -> Heads:
    """The head of cross-attention without which the loss grows most."""
    found = measured(context, "importance")["measured"]["value"]["cross"]
    change = np.array(found, dtype=float)
    return _first_and_second(change, _said(change, "a change of the loss of {:.3f} nats per token"))


def aligning_head(context: Context) -> Heads:
    """The head of least alignment error, by the mean reduction and links from each target word."""
    return _least(*_alignment_errors(context))


def next_aligning_head(context: Context) -> Heads:
    """The head of least alignment error but for the one that `aligning_head` gives."""
    error, low, high = _alignment_errors(context)
    error[np.unravel_index(np.nanargmin(error), error.shape)] = np.nan
    return _least(error, low, high)


def _alignment_errors(context: Context) -> tuple[Numbers, Numbers, Numbers]:
    """The errors, and their intervals' lower and upper ends: (layers, heads) each."""
    found = measured(context, "alignment")
    if not found["gold"]:
        raise UserError("These sentences have no gold alignment; open the step's view again.")
    mean = found["reductions"].index("mean")
    target = found["methods"].index("target")
    error, low, high = (
        np.array(found[key], dtype=float)[mean, target] for key in ("error", "low", "high")
    )
    return error, low, high


def _least(error: Numbers, low: Numbers, high: Numbers) -> Heads:
    """The head of least error; nearly: heads whose interval overlaps its interval."""
    best = int(np.nanargmin(error))
    overlaps = (low <= high.flat[best]) & np.isfinite(error)
    overlaps.flat[best] = False
    layer, head = divmod(best, error.shape[1])
    why = (
        "But the 95 % intervals of their errors overlap: with other sentences their order could be the other way"
        " around."
    )
    return Heads(
        frozenset({(layer + 1, head + 1)}),
        frozenset((int(i) + 1, int(j) + 1) for i, j in np.argwhere(overlaps)),
        why,
        _said(error, "an alignment error (AER) of {:.2f}"),
    )


def last_row_first_weight(context: Context) -> float:
    """The weight that the shown head gives to the first token in the row that predicts `</s>`."""
    run = context.opened()
    written = translated(context).hypotheses[0].ids
    view = run.attention(context.source, written).view("decoder")
    shown = [str(context.values.get(key) or 1) for key in ("layer", "head")]
    if not all(map(str.isdecimal, shown)):
        raise UserError("The picture shows a mean; choose one layer and one head.")
    layer, head = (int(each) - 1 for each in shown)
    return float(view.weights[layer, head][-1, 0])


def share_changed_by_uniform_weights(context: Context) -> float:
    """In which share of the target positions, in percent, another token becomes the most probable one."""
    from s2s.analysis import heads
    from s2s.runs import probes

    run = context.opened()
    ids = translated(context).hypotheses[0].ids
    src = probes.source_ids(run, context.source)
    tgt = (run.recipe.model.ids.start, *ids[:-1])
    weights = heads.cross_weights(run.model, src, tgt)
    steps = heads.shift_output(run.model, src, tgt, heads.uniform_weights(weights))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return 100 * float(end.value.is_changed.mean())


def ablation_changes_translation(context: Context) -> Verdict:
    """Whether the translation changes without a few heads."""
    from s2s.analysis import all_heads, switched
    from s2s.runs import Interventions, active

    run = context.opened()
    found, _ = switched.from_text(context.settings.get("switched", ""), all_heads(run.model))
    off = {head: name for head, name in found.items() if name == "off"}
    if not off:
        return Verdict("wrong", "No head is off yet; click or tap one in the picture of all heads.")
    change = Interventions(tuple(sorted(off.items())))
    before = run.translate([context.source], "greedy")[0]
    with active(run, change):
        after = run.translate([context.source], "greedy")[0]
    n_off = f"{len(off)} head{'s' * (len(off) > 1)}"
    if after.text == before.text:
        return Verdict(
            "wrong", f"Without {n_off} the translation is still the same; switch others off."
        )
    said = f"without {n_off} it is `{after.text}`"
    if len(off) > MOST_OFF:
        return Verdict("nearly", f"Nearly: {said}; do it with at most {MOST_OFF} heads.")
    return Verdict("right", f"Right: {said}.")


ANSWERS: Mapping[str, Answer] = MappingProxyType(
    {
        "least_monotonic_head": Answer(
            least_monotonic_head, "The head of cross-attention that follows the source least."
        ),
        "most_important_cross_head": Answer(
            most_important_cross_head,
            "The head of cross-attention without which the loss grows most.",
        ),
        "aligning_head": Answer(
            aligning_head, "The head of least alignment error; nearly: its interval overlaps."
        ),
        "next_aligning_head": Answer(
            next_aligning_head, "The head of least alignment error, but for the best one."
        ),
        "last_row_first_weight": Answer(
            last_row_first_weight,
            "The weight on the first token in the last row of the shown head of decoder self-attention.",
        ),
        "share_changed_by_uniform_weights": Answer(
            share_changed_by_uniform_weights,
            "The share of target positions at which uniform cross-attention predicts another token, in percent.",
        ),
    }
)
CONDITIONS: Mapping[str, Condition] = MappingProxyType(
    {
        "ablation_changes_translation": Condition(
            ablation_changes_translation,
            f"At most {MOST_OFF} heads are off, and the translation is another.",
        )
    }
)
