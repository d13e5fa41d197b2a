"""What can be asked of the numbers inside a model: tokens, vectors, attention weights, probabilities, losses, updates.

Positions in a view count from 1, as do layers and heads.
"""

from __future__ import annotations

import math

from s2s.analysis import ForwardTrace, WeightUpdate, reordering_effect, trace_forward, weight_update
from s2s.config import UserError
from s2s.lessons.answers.attention import heads_where
from s2s.lessons.verdict import Context, Heads, Verdict
from s2s.runs import Run

ROUNDING = 1e-4  # of the size of the encoder's output: a smaller difference is rounding
OTHER_RATE = 0.2  # a learning rate that the Walkthrough does not offer, so that nobody can read the answer there
DRAWN = 64  # numbers of a vector that the Walkthrough draws
HALF = 0.5  # a head that gives a token more than this attends mostly to it


def source_tokens(context: Context) -> int:
    """Counts the source's tokens, `</s>` included."""
    return len(_source(context)[1])


def repeated_token(context: Context) -> Verdict:
    """A token of the vocabulary occurs twice."""
    run, ids = _source(context)
    if unknown := run.src_tokenizer.unknown_parts(context.source):
        return Verdict("wrong", f"The model has never seen `{unknown[0]}`; use words it knows.")
    twice = [token for token in run.src_tokenizer.tokens(ids) if _count(run, ids, token) > 1]
    if not twice:
        return Verdict("wrong", "No token occurs twice yet; repeat a word, such as `the`.")
    return Verdict(
        "right",
        f"Right: `{twice[0]}` occurs {_count(run, ids, twice[0])} times, with the same row.",
    )


def _count(run: Run, ids: tuple[int, ...], token: str) -> int:
    return run.src_tokenizer.tokens(ids).count(token)


def swap_without_positions(context: Context) -> int:
    """Swaps two words in a copy without positions.

    0 where the encoder then gives the words the same outputs in both orders, else 1.
    """
    run, ids = _source(context)
    first, second = _swapped(context, len(ids) - 1)
    order = [*range(len(ids))]
    order[first], order[second] = second, first
    effect = reordering_effect(run.model, ids, order)
    return int(float(effect.without_positions.max()) > ROUNDING * effect.size)


def weight_of_next(context: Context) -> float:
    """The softmax of the chosen token's scores, at the token after it.

    In the chosen layer and head of the encoder.
    """
    trace, position = _traced(context)
    weights = trace.encoder.self_attention.weights[_number(context, "head") - 1, position]
    if position + 1 >= len(weights):
        raise UserError("No token follows the chosen one; choose another one under Token.")
    return float(weights[position + 1])


def heads_from_first_to_third(context: Context) -> Heads:
    """The heads in which token 1 attends mostly to token 3.

    Nearly: more than to any other token.
    """
    return _heads_between(context, 0, 2)


def heads_from_last_to_second(context: Context) -> Heads:
    """The heads in which the last word attends mostly to token 2.

    Nearly: more than to any other token.
    """
    return _heads_between(context, -2, 1)  # the last token is `</s>`


def _heads_between(context: Context, reader: int, read: int) -> Heads:
    run, ids = _source(context)
    if len(ids) <= 3:  # the last is the end of the sentence
        raise UserError("The sentence needs three words; open the step's view again.")
    weights = run.attention(context.source, _target(context, run)).encoder[:, :, reader]
    read_weights, is_largest = weights[..., read], weights.argmax(-1) == read
    return heads_where(read_weights > HALF, is_largest, read_weights, "a weight of {:.2f} there")


def other_tokens_percent(context: Context) -> float:
    """The softmax of the logits, without its largest entry.

    In percent, after the chosen decoder input.
    """
    trace, position = _traced(context, side="tgt")
    logits = trace.logits[position].astype("float64")
    odds = sum(math.exp(logit - logits.max()) for logit in logits)
    return 100 * (1 - 1 / odds)


def largest_token_loss(context: Context) -> float:
    """The largest of the losses of the target's tokens.

    In nats.
    """
    return float(_update(context).losses_before.max())


def weight_after_update(context: Context) -> float:
    """The weight minus the learning rate times its gradient.

    The weight is the one that the Walkthrough shows, the learning rate `OTHER_RATE`.
    """
    found = _update(context)
    at = found.steepest(DRAWN)
    return float(found.before[at] - OTHER_RATE * found.gradient[at])


def _update(context: Context) -> WeightUpdate:
    run, src = _source(context)
    tgt = (run.recipe.model.ids.start, *run.target_ids(_target(context, run)))
    return weight_update(run.model, src, tgt, rate=OTHER_RATE)


def _source(context: Context) -> tuple[Run, tuple[int, ...]]:
    sentence = context.sentence
    run = context.opened()
    run.check_lengths([sentence])
    return run, tuple(run.recipe.model.ids.source(run.src_tokenizer.encode(sentence)))


def _target(context: Context, run: Run) -> str:
    given = context.values.get("tgt", "").strip()
    return given or run.translate([context.source], "greedy")[0].text


def _traced(context: Context, side: str = "src") -> tuple[ForwardTrace, int]:
    run, src = _source(context)
    tgt = (run.recipe.model.ids.start, *run.target_ids(_target(context, run))[:-1])
    trace = trace_forward(run.model, src, tgt, _number(context, "layer") - 1)
    length = len(src) if side == "src" else len(tgt)
    chosen = context.settings.get("position", "2")
    return trace, min(int(chosen) if chosen.isdecimal() else 1, length) - 1


def _number(context: Context, key: str) -> int:
    value = context.values.get(key, "1")
    return int(value) if value.isdecimal() and value != "0" else 1


def _swapped(context: Context, n_words: int) -> tuple[int, int]:
    chosen = [context.settings.get("swap", "1"), context.settings.get("with", str(n_words))]
    first, second = (int(word) if word.isdecimal() else 1 for word in chosen)
    return min(first, n_words) - 1, min(second, n_words) - 1
