"""What can be asked of heads: what they do in a sentence and over many, and what the model loses without them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from s2s.analysis import Weights
from s2s.config import UserError
from s2s.lessons.answers.translation import translated
from s2s.lessons.verdict import Context, Heads, Verdict

N_SENTENCES = 500  # of the measurements that ship with the demo runs
MOST_OFF = 4  # heads
ARTICLE, NOUN, ADJECTIVE = 0, 1, 2  # positions in `la maison rouge est vieille`
CLEARLY = 0.5  # of a head's weight
SLIGHTLY = 0.1
Numbers = npt.NDArray[np.floating[Any]]
Mask = npt.NDArray[np.bool_]


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
        "This has not been measured for the run on the screen; open the step's view again, or measure it on"
        " *Many sentences*."
    )


def heads_where(right: Mask, nearly: Mask, values: Numbers, words: str, why: str = "") -> Heads:
    """The right heads and the nearly right ones, from two masks, and what was measured of each, in words.

    Arrays are (layers, heads); NaN was not measured.
    """

    def numbered(chosen: Mask) -> frozenset[tuple[int, int]]:
        return frozenset((int(layer) + 1, int(head) + 1) for layer, head in np.argwhere(chosen))

    measured = {
        (layer + 1, head + 1): words.format(value)
        for (layer, head), value in np.ndenumerate(values)
        if not np.isnan(value)
    }
    return Heads(numbered(right), numbered(nearly & ~right), why, measured)


def _first_and_second(order_by: Numbers, values: Numbers, words: str) -> Heads:
    rank = np.argsort(np.argsort(-order_by, axis=None, kind="stable")).reshape(order_by.shape)
    return heads_where(rank == 0, rank == 1, values, words)


def least_monotonic_head(context: Context) -> Heads:
    """The head of cross-attention that follows the source least."""
    found = measured(context, "roles")["kinds"]["cross"]["strengths"]["aligned"]
    strengths = np.array(found, dtype=float)
    return _first_and_second(-strengths, strengths, "a *monotonic* strength of {:.2f}")


def most_important_cross_head(context: Context) -> Heads:
    """The head of cross-attention without which the loss grows most."""
    found = measured(context, "importance")["measured"]["value"]["cross"]
    change = np.array(found, dtype=float)
    return _first_and_second(change, change, "a change of the loss of {:.3f} nats per token")


def aligning_head(context: Context) -> Heads:
    """The head of least alignment error; nearly: its interval overlaps.

    By the mean reduction and links from each target word.
    """
    return _least(*_alignment_errors(context))


def next_aligning_head(context: Context) -> Heads:
    """The head of least alignment error, but for the best one."""
    error, low, high = _alignment_errors(context)
    error[np.unravel_index(np.nanargmin(error), error.shape)] = np.nan
    return _least(error, low, high)


def _alignment_errors(context: Context) -> tuple[Numbers, Numbers, Numbers]:
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
    best = int(np.nanargmin(error))
    overlaps = (low <= high.flat[best]) & np.isfinite(error)
    is_best = np.arange(error.size).reshape(error.shape) == best
    why = (
        "But the 95 % intervals of their errors overlap: with other sentences their order could be the other way"
        " around."
    )
    return heads_where(is_best, overlaps, error, "an alignment error (AER) of {:.2f}", why)


def attended_by_adjective(context: Context) -> int:
    """The source token with the largest cross-attention weight, mean of the last layer's heads.

    Its position, from 0.
    """
    return int(_cross(context)[-1].mean(0)[ADJECTIVE].argmax())  # (heads, tgt_len, src_len)


def article_attends_to_noun(context: Context) -> Heads:
    """Heads with at least half of their weight on the noun when the article is predicted."""
    cross = _cross(context)
    noun = int(cross[-1].mean(0)[NOUN].argmax())
    weights = cross[:, :, ARTICLE, noun]  # (layers, heads)
    return heads_where(weights >= CLEARLY, weights >= SLIGHTLY, weights, "a weight of {:.2f} there")


def _cross(context: Context) -> Weights:
    own = context.at_start()
    cross = own.opened().attention(own.source, translated(own).text).cross
    if cross.shape[2] <= ADJECTIVE:
        raise UserError("The step's sentence is too short for this question; it needs three words.")
    return cross


def last_row_first_weight(context: Context) -> float:
    """The weight on the first token in the last row of the shown head of decoder self-attention.

    That row predicts `</s>`.
    """
    run = context.opened()
    written = translated(context).hypotheses[0].ids
    view = run.attention(context.source, written).view("decoder")
    shown = [str(context.values.get(key) or 1) for key in ("layer", "head")]
    if not all(map(str.isdecimal, shown)):
        raise UserError("The picture shows a mean; choose one layer and one head.")
    layer, head = (int(each) - 1 for each in shown)
    return float(view.weights[layer, head][-1, 0])


def share_changed_by_uniform_weights(context: Context) -> float:
    """The share of target positions at which uniform cross-attention predicts another token, in percent."""
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
    """At most 4 heads are off, and the translation is another."""
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
