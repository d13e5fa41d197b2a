"""French words that agree with a subject: how often the model chooses the right form, by the distance to the subject,
as it is and where it may not attend to the subject.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

import s2s
from benchmarks.claims import intervals
from s2s.analysis import attentions
from s2s.data import Pair, load
from s2s.lessons.claims import Measured, Picture, Series
from s2s.model import Transformer, inference
from s2s.runs import Run

RUN = "demo-en-fr"
SPLITS = ("random", "agreement", "deep")
LONGEST = 10  # words; longer distances are counted here
FAR = 5  # words from which on a subject counts as far
SEED = 1  # of the words that the control hides in place of the subject
BATCH = 64
AS_IT_IS = "as it is"
CONTROL = "other words hidden from every word"
HIDDEN = "subject hidden from every word"


@dataclass(frozen=True)
class Question:
    """A target word and the subject that it agrees with, by word positions from 0."""

    pair: Pair
    word: int
    subject: int  # its noun

    def phrase(self, side: str) -> frozenset[int]:
        """The words of the subject's phrase: its noun, and the determiner and adjectives before the agreeing word."""
        noun = self.subject
        if side == "src":
            linked = [link.src for link in self.gold.links if link.tgt == self.subject]
            heads = {one.head for one in self.gold.relations if one.side == "src"}
            noun = next((word for word in linked if word in heads), linked[0])
        ties = [one for one in self.gold.relations if one.side == side and one.head == noun]
        parts = {one.dependent for one in ties if one.kind != "subject-verb"}
        return frozenset({noun, *(word for word in parts if abs(word - noun) <= 3)})

    def choices(self, forms: Mapping[str, set[str]]) -> set[str]:
        """The right word and all that its source words are linked to elsewhere: *long, longue, longs, longues*."""
        tgt = self.pair.tgt.split()
        src = self.pair.src.split()
        own = [src[link.src] for link in self.gold.links if link.tgt == self.word]
        return {tgt[self.word], *(form for word in own for form in forms[word])}

    @property
    def gold(self) -> Any:
        """The grammar's annotation of the pair."""
        assert self.pair.gold is not None
        return self.pair.gold


def questions(pairs: Sequence[Pair]) -> list[Question]:
    """Every verb and predicative adjective of a target whose subject is a noun with a determiner."""
    found = []
    for pair in pairs:
        assert pair.gold is not None
        ties = [one for one in pair.gold.relations if one.side == "tgt"]
        nouns = {one.head for one in ties if one.kind == "determiner-noun"}
        for tie in ties:
            if tie.kind != "subject-verb" or tie.dependent not in nouns:
                continue
            words = [tie.head]
            words += [
                one.dependent
                for one in ties
                if one.kind == "adjective-noun"
                and one.head == tie.dependent
                and one.dependent > tie.head
            ]
            known = {(one.word, one.subject) for one in found if one.pair is pair}
            found += [
                Question(pair, word, tie.dependent)
                for word in words
                if word > tie.dependent and (word, tie.dependent) not in known
            ]
    return found


def subject(question: Question) -> tuple[frozenset[int], frozenset[int]]:
    """The subject's words in source and target."""
    return question.phrase("src"), question.phrase("tgt")


def others(question: Question) -> tuple[frozenset[int], frozenset[int]]:
    """As many other words, drawn at random, which are neither what the agreeing word translates nor the word before."""
    draw = random.Random(f"{SEED} {question.pair.src} {question.word}")
    src, tgt = subject(question)
    own = {link.src for link in question.gold.links if link.tgt == question.word}
    rest_src = [word for word in range(len(question.pair.src.split())) if word not in src | own]
    rest_tgt = [word for word in range(question.word - 1) if word not in tgt]
    return (
        frozenset(draw.sample(rest_src, min(len(src), len(rest_src)))),
        frozenset(draw.sample(rest_tgt, min(len(tgt), len(rest_tgt)))),
    )


def nothing(question: Question) -> tuple[frozenset[int], frozenset[int]]:
    return frozenset(), frozenset()


class Condition(NamedTuple):
    """Which words of source and target are hidden: from the row that predicts the agreeing word, or from every word."""

    words: Callable[[Question], tuple[frozenset[int], frozenset[int]]]
    from_all: bool = False
    label: str = ""  # in the picture, where it is not the condition's name


CONDITIONS: Mapping[str, Condition] = MappingProxyType(
    {
        AS_IT_IS: Condition(nothing, label="the model as it is"),
        CONTROL: Condition(others, from_all=True, label="other words hidden (control)"),
        "subject hidden from the agreeing word": Condition(subject),
        HIDDEN: Condition(subject, from_all=True),
    }
)


def measure() -> dict[str, Any]:
    """The right answers by condition and distance."""
    run = s2s.load(RUN)
    forms = forms_by_source(load("builtin:en-fr").pairs)
    pairs = [pair for split in SPLITS for pair in load("builtin:en-fr", split).pairs]
    asked = [one for one in questions(pairs) if len(one.choices(forms)) > 1]
    distances = [min(one.word - one.subject, LONGEST) for one in asked]
    rows = []
    for name, condition in CONDITIONS.items():
        answers = answered(run, asked, condition, forms)
        counts = [
            sum(ok for ok, distance in zip(answers, distances, strict=True) if distance == at)
            for at in range(1, LONGEST + 1)
        ]
        rows.append({"condition": name, "right": counts})
        print(rows[-1], flush=True)
    n = [distances.count(at) for at in range(1, LONGEST + 1)]
    return {"run": RUN, "splits": list(SPLITS), "seed": SEED, "n": n, "runs": rows}


def report(results: Mapping[str, Any]) -> Measured:
    """The shares of right forms by distance; the level, from near and far subjects, with and without attention."""
    n = results["n"]
    right = {row["condition"]: row["right"] for row in results["runs"]}
    near, far, control, hidden = (
        intervals.share(sum(right[name][part]), sum(n[part]))
        for name, part in (
            (AS_IT_IS, slice(FAR - 1)),
            (AS_IT_IS, slice(FAR - 1, None)),
            (CONTROL, slice(FAR - 1, None)),
            (HIDDEN, slice(FAR - 1, None)),
        )
    )
    by_distance = intervals.difference(far, near)
    by_attention = intervals.difference(hidden, control)
    shares = {
        row.label or name: [*map(intervals.share, right[name], n)]
        for name, row in CONDITIONS.items()
    }
    distances = tuple(range(1, len(n) + 1))
    needs_attention = by_attention.high < 0
    return Measured(
        "fails" if not needs_attention else "holds" if by_distance.high >= 0 else "partly",
        f"With the subject {FAR} or more words back the form is right in {far.value:.0f}%, nearer in {near.value:.0f}%:"
        f" a difference of {by_distance.text(unit=' points')}. Without attention to the far subject it is right in"
        f" {hidden.value:.0f}%, without attention to as many other words in {control.value:.0f}%:"
        f" {by_attention.text(unit=' points')}.",
        f"{sum(n):,} verbs and predicative adjectives of the splits {', '.join(results['splits'])}; one trained run,"
        f" {results['run']}, seed 1. The gold annotation names the subject. Under teacher forcing the model chooses"
        " among all French words that the same English word is linked to in training: *long, longue, longs, longues*."
        " Hidden means: the weights on the subject's noun, article and adjectives are set to 0 in all heads and layers,"
        " in source and target, and the others sum to 1 again. From every word: of the source, and of the target after"
        " the subject. Intervals: Wilson, and Newcombe for differences.",
        Picture(
            "French words that agree with their subject",
            f"words from the subject to the agreeing word ({len(n)}: or more)",
            "right form (%)",
            tuple(
                Series(label, tuple(map(float, distances)), *zip(*found, strict=True))
                for label, found in shares.items()
            ),
            "Each point is the share of right forms, with its 95 % interval. Compare the line without attention to the"
            " subject with the control, which hides as many other words.",
        ),
        {"distance (words)": distances, "n": tuple(n)}
        | {
            f"{label} (%)": tuple(round(one.value, 1) for one in found)
            for label, found in shares.items()
        },
    )


def forms_by_source(pairs: Sequence[Pair]) -> dict[str, set[str]]:
    """The target words that each source word is linked to in these pairs."""
    found: dict[str, set[str]] = {}
    for pair in pairs:
        assert pair.gold is not None
        src, tgt = pair.src.split(), pair.tgt.split()
        for link in pair.gold.links:
            found.setdefault(src[link.src], set()).add(tgt[link.tgt])
    return found


def answered(
    run: Run, asked: Sequence[Question], condition: Condition, forms: Mapping[str, set[str]]
) -> list[bool]:
    """Whether the right form is the most probable of all, after the reference's words, for each question."""
    found = []
    for start in range(0, len(asked), BATCH):
        batch = asked[start : start + BATCH]
        src = run._batch(run._source_ids([one.pair.src for one in batch]))
        tgt = run._batch(run._target_ids([one.pair.tgt for one in batch]))
        masks = {
            kind: torch.stack([mask(kind, one, condition, src, tgt) for one in batch])
            for kind in ("encoder", "decoder", "cross")
        }
        with inference(run.model), hidden(run.model, masks):
            logits = run.model(src, tgt[:, :-1])  # (batch, tgt_len, vocab)
        for row, one in enumerate(batch):
            ids = run.tgt_tokenizer.encode(" ".join(sorted(one.choices(forms))))
            best = ids[int(logits[row, one.word, ids].argmax())]
            found.append(best == int(tgt[row, one.word + 1]))
    return found


def mask(kind: str, question: Question, condition: Condition, src: Tensor, tgt: Tensor) -> Tensor:
    """(rows, keys), True where a row may not attend to a key.

    Row i of the decoder predicts word i and reads word i - 1, whose key is i.
    """
    in_src, in_tgt = condition.words(question)
    rows = src.shape[1] if kind == "encoder" else tgt.shape[1] - 1
    keys = tgt.shape[1] - 1 if kind == "decoder" else src.shape[1]
    mask = torch.zeros(rows, keys, dtype=torch.bool)
    if kind == "encoder":
        readers = [row for row in range(rows) if row not in in_src]
        mask[np.ix_(readers, list(in_src))] = condition.from_all
        return mask
    first = question.word
    if condition.from_all:
        first = min(first, max(in_tgt, default=first) + 2)
    readers = list(range(first, question.word + 1))
    mask[np.ix_(readers, [word + 1 for word in in_tgt] if kind == "decoder" else list(in_src))] = (
        True
    )
    return mask


@contextlib.contextmanager
def hidden(model: Transformer, masks: Mapping[str, Tensor]) -> Iterator[None]:
    """Weights on hidden keys become 0, and each row's others sum to 1 again. `masks`: (batch, rows, keys) by kind."""

    def change(mask: Tensor, module: nn.Module, args: Any, weights: Tensor) -> Tensor:
        left = weights.masked_fill(mask[:, None], 0.0)
        return left / left.sum(-1, keepdim=True).clamp(min=torch.finfo(left.dtype).tiny)

    with contextlib.ExitStack() as hooks:
        for kind, mask in masks.items():
            for attention in attentions(model, kind):
                hooks.callback(
                    attention.weights.register_forward_hook(partial(change, mask)).remove
                )
        yield
