"""The pictures of `HeadRoles` and of `RolesOverTraining`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

import numpy as np

from s2s.analysis import heads
from s2s.plots.head_roles import HOW_TO_READ, HeadGrid, head_roles, head_roles_animation
from s2s.plots.learning import ROLE_STRENGTHS, role_strengths
from s2s.plots.picture import Picture
from s2s.questions import (
    INDUCTION,
    KIND_NAMES,
    RELATIONS,
    HeadRoles,
    PlacedHead,
    Roles,
    RolesByStep,
    RolesOverTraining,
    Table,
)

# What fits into a cell; the first two letters must differ, too.
SHORT = MappingProxyType(
    {
        "spread": "spread",
        "previous": "prev",
        "next": "next",
        "same": "current",
        "first": "first",
        "end": "end",
        "aligned": "mono",
        "separator": "sep",
        "rare": "rare",
        "mixed": "mixed",
    }
)
OF_SENTENCES = "aligned"  # the role whose strength is a mean over sentences, not over rows
FRAMES = 24  # of the animation, at most
FIRST_RULE = "A head has the first role whose rule holds; rows that may attend to a single token do not count."
RELATION_COLUMNS = (
    "Relation",
    "Attention",
    "Questions",
    "Best head",
    "Accuracy",
    "Random heads",
    "Best of all",
    "Above random",
    "On the other half",
    "Best offset",
    "Best offset finds",
)
OF_RELATIONS = (
    "Accuracy: the share of questions in which the largest weight of the first word is on the second; in the encoder"
    " the row of a word reads it, in the decoder it predicts it, and attends to the words before. Random heads: 95 % of"
    " those that attend to an allowed token at random. Best of all: the same for the best of as many. Best offset:"
    " always attending this many words ahead (+) or back (−), which needs no grammar."
)
OF_SCORES = MappingProxyType(
    {
        "prefix": "The weight that a row puts on the tokens right after other occurrences of the token that it reads"
        " (Olsson et al. 2022): after A B ... A, attention to B. In cross-attention, these occurrences are in the"
        " source; in the decoder, they are earlier target tokens.",
        "copying": "The weight that a row puts on tokens equal to the one that it predicts; in the encoder, on other"
        " occurrences of the token that it reads. It says where a head attends, not what it writes.",
        "direct": "Of the weight on tokens that the model can write, the share on tokens whose own logit the head"
        " raises above the mean of all logits, by the direct path from the head to the output (Elhage et al. 2021).",
    }
)
NO_SPECIAL = (
    "Special tokens are not counted. Baseline: a head that spreads its weight evenly; of direct copying, a head without"
    " preference, one half."
)


def pictures(question: HeadRoles, answer: Roles, model: str) -> list[Picture]:
    left_out = f", {answer.n_left_out:,} left out as too long" if answer.n_left_out else ""
    title = f"{model}\n{answer.n:,} sentences: {answer.sample}{left_out}"
    if question.part == RELATIONS:
        return _relations(question, answer, title)
    if question.part == INDUCTION:
        return _scores(question, answer, title)
    named = f"Roles of heads\n{title}"
    return [
        Picture(
            "roles",
            named,
            head_roles(grids(answer.kinds), title=named),
            f"Roles of all heads, {in_line(title)}",
            question.table(answer),
            question.finding(answer),
            how_to_read(answer.kinds),
        ),
        _strengths(question.head_of(answer), answer, title),
        Picture(
            "table of roles",
            named,
            question.table(answer),
            f"Roles of all heads as a table, {in_line(title)}",
            question.table(answer),
            caption="Below a role: its strength; empty where the kind of attention cannot have it.",
        ),
    ]


def over_training(question: RolesOverTraining, answer: RolesByStep, model: str) -> list[Picture]:
    """Pictures of the curves of one role, then of all heads as an animation. `model` names the run."""
    kind, slug = question.shown(answer)
    role = heads.CORPUS_ROLES[slug]
    run = model.partition(" · step ")[0]  # of which all checkpoints are shown
    title = f"{run}\n{answer.n:,} sentences: {answer.sample}"
    named = f"{role.label.capitalize()}, {KIND_NAMES[kind]}\n{title}"
    strengths = answer.strengths(kind, slug).astype(np.float32)
    loss = answer.loss if answer.loss[0] else None
    n = min(FRAMES, len(answer.steps))
    spread = [
        answer.checkpoints[round(i * (len(answer.steps) - 1) / max(1, n - 1))] for i in range(n)
    ]
    animation = f"Roles of heads\n{title}"
    return [
        Picture(
            "strengths",
            named,
            role_strengths(answer.steps, strengths, title=named, loss=loss),
            f"Strength of {in_line(named)} by step",
            question.table(answer),
            question.finding(answer),
            f"{ROLE_STRENGTHS} {role.rule} The rule holds from a strength of {role.threshold:.0%}. {answer.note}",
        ),
        Picture(
            "roles over training",
            animation,
            head_roles_animation({at.step: grids(at.kinds) for at in spread}, title=animation),
            f"Animation of the roles of all heads, {n} checkpoints",
            question.table(answer),
            caption=HOW_TO_READ,
        ),
    ]


def in_line(title: str) -> str:
    """A title of several lines as one, for a picture's alternative text."""
    return title.replace("\n", ", ")


def grids(kinds: Mapping[str, heads.KindRoles]) -> list[HeadGrid]:
    """Grids of all heads; brightness is the strength of each head's role."""
    drawn = []
    for kind, found in kinds.items():
        words = [[SHORT[slug] for slug in row] for row in found.role]
        hovers = _hovers(found.role.shape, partial(_said, found))
        drawn.append(HeadGrid(KIND_NAMES[kind], words, found.own_strength, hovers))
    return drawn


def how_to_read(kinds: Mapping[str, heads.KindRoles]) -> str:
    known = {slug for found in kinds.values() for slug in found.role.ravel()}
    short = ", ".join(
        f"{SHORT[slug]}: {role.label}"
        for slug, role in heads.CORPUS_ROLES.items()
        if slug in known and SHORT[slug] != role.label
    )
    counted = ", ".join(f"{found.n_rows:,} of {KIND_NAMES[kind]}" for kind, found in kinds.items())
    return f"{HOW_TO_READ} {short}. Rows counted: {counted}."


def _said(found: heads.KindRoles, layer: int, head: int) -> str:
    strongest = [
        f"{heads.CORPUS_ROLES[slug].label} {found.strengths[slug][layer, head]:.0%}"
        for slug in _ranked(found, layer, head)[:3]
    ]
    role = heads.CORPUS_ROLES[str(found.role[layer, head])].label
    return f"{role} (strengths: {', '.join(strongest)})"


def _ranked(found: heads.KindRoles, layer: int, head: int) -> list[str]:
    return sorted(found.strengths, key=lambda slug: -float(found.strengths[slug][layer, head]))


def _strengths(at: PlacedHead, answer: Roles, title: str) -> Picture:
    found = answer.kinds[at.kind]
    rows = []
    for slug in _ranked(found, at.layer, at.head):
        role = heads.CORPUS_ROLES[slug]
        unit = "sentences" if slug == OF_SENTENCES else "rows"
        strength = float(found.strengths[slug][at.layer, at.head])
        counted = f"{found.counted[slug]:,} {unit}"
        rows.append([role.label, strength, role.threshold, counted, role.rule])
    columns = ("Role", "Strength", "Holds from", "Mean over", "Rule")
    table = Table(columns, rows, shares=columns[1:3])
    named = f"Strengths of {at}\n{title}"
    return Picture("head", named, table, in_line(named), table, caption=FIRST_RULE)


def _relations(question: HeadRoles, answer: Roles, title: str) -> list[Picture]:
    chosen = question.relation_of(answer)
    if not chosen:
        return []
    named = f"{heads.DIRECTIONS[chosen[0].direction].label}\n{title}"
    drawn = []
    for one in chosen:
        n = sum(one.n)
        hits = one.hits.sum(0)
        hovers = _hovers(hits.shape, lambda *at, hits=hits, n=n: f"{hits[at]:,} of {n:,} questions")
        drawn.append(HeadGrid(KIND_NAMES[one.kind], _no_words(hits.shape), one.accuracy, hovers))
    best = Table(
        RELATION_COLUMNS,
        [_best_of(one) for one in answer.relations],
        shares=("Accuracy", "On the other half", "Best offset finds"),
    )
    return [
        Picture(
            "relation",
            named,
            head_roles(drawn, title=named, scale="accuracy"),
            f"Accuracy of all heads, {in_line(named)}",
            question.table(answer),
            question.finding(answer),
            "One cell per head: how often its largest weight is on the right word.",
        ),
        Picture("relations", title, best, f"Relations, {in_line(title)}", best, "", OF_RELATIONS),
    ]


def _best_of(one: heads.RelationAccuracy) -> list[object]:
    layer, head = np.unravel_index(int(one.accuracy.argmax()), one.accuracy.shape)
    accuracy = float(one.accuracy[layer, head])
    return [
        heads.DIRECTIONS[one.direction].label,
        one.kind,
        sum(one.n),
        f"layer {layer + 1}, head {head + 1}",
        accuracy,
        _range(one.one_random),
        _range(one.best_random),
        "yes" if accuracy > one.best_random.high else "no",
        one.held_out,
        f"{one.offset:+d}".replace("-", "−"),
        one.offset_accuracy,
    ]


def _range(limits: heads.Range) -> str:
    return f"{limits.low:.0%} to {limits.high:.0%}"


def _scores(question: HeadRoles, answer: Roles, title: str) -> list[Picture]:
    score = question.score_of(answer)
    if not score:
        return []
    named = f"{answer.scores[score]}\n{title}"
    drawn = [
        _score_grid(kind, by_name[score])
        for kind, by_name in answer.induction.items()
        if score in by_name
    ]
    scale = "share of the weight" if score == "direct" else "mean weight"
    rows = []
    for kind, by_name in answer.induction.items():
        for name, one in by_name.items():
            layer, head = np.unravel_index(int(one.score.argmax()), one.score.shape)
            best = f"layer {layer + 1}, head {head + 1}"
            its = float(one.score.max())
            rows.append([kind, answer.scores[name], best, its, one.uniform, one.n_rows])
    columns = ("Attention", "Score", "Best head", "Its score", "Baseline", "Rows")
    table = Table(columns, rows, shares=columns[3:5])
    return [
        Picture(
            "score",
            named,
            head_roles(drawn, title=named, scale=scale),
            f"{answer.scores[score]} of all heads, {in_line(title)}",
            question.table(answer),
            question.finding(answer),
            OF_SCORES[score],
        ),
        Picture("scores", title, table, f"The best heads, {in_line(title)}", table, "", NO_SPECIAL),
    ]


def _score_grid(kind: str, one: heads.MatchScore) -> HeadGrid:
    name = f"{KIND_NAMES[kind]}, {one.n_rows:,} rows, baseline {one.uniform:.0%}"
    hovers = _hovers(
        one.score.shape, lambda *at: f"{one.score[at]:.0%}, baseline {one.uniform:.0%}"
    )
    return HeadGrid(name, _no_words(one.score.shape), one.score, hovers)


def _hovers(shape: tuple[int, ...], said: Callable[[int, int], str]) -> list[list[str]]:
    return [
        [f"layer {layer + 1}, head {head + 1}: {said(layer, head)}" for head in range(shape[1])]
        for layer in range(shape[0])
    ]


def _no_words(shape: tuple[int, ...]) -> list[list[str]]:
    return [[""] * shape[1] for _ in range(shape[0])]
