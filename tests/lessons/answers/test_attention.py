"""Answers about heads, from the results that ship and from the model."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

import s2s
from s2s import settings
from s2s.analysis import HeadSelection, attentions, reduced
from s2s.config import UserError
from s2s.lessons import ANSWERS, CONDITIONS, EXERCISES, Context, HeadQuestion, Heads

RUN = s2s.load("demo-en-fr")
SENTENCE = "the cat who chased the mouse was black"
RED = "the red house is old"


def here(**values: str) -> Context:
    return Context("demo-en-fr", values={"src": SENTENCE, **values}, opener=lambda run, step: RUN)


@cache
def shipped() -> list[dict[str, Any]]:
    folder = settings.SHIPPED / "demo-en-fr" / "measurements"
    return [json.loads(path.read_bytes()) for path in folder.glob("*.json")]


def one(head: tuple[int, ...]) -> frozenset[tuple[int, ...]]:
    return frozenset({tuple(index + 1 for index in head)})


def computed(name: str) -> Heads:
    found = ANSWERS[name].compute(here())
    assert isinstance(found, Heads)
    return found


def test_the_head_that_matters_is_the_one_of_the_largest_loss() -> None:
    change = next(found["measured"]["value"]["cross"] for found in shipped() if "measured" in found)
    every = {(layer, head): change[layer][head] for layer in range(2) for head in range(4)}
    found = computed("most_important_cross_head")
    assert found.right == one(max(every, key=lambda head: every[head[0], head[1]]))
    assert len(found.nearly) == 1


def test_the_head_that_follows_the_source_least() -> None:
    rows = [
        found["kinds"]["cross"]["strengths"]["aligned"]
        for found in shipped()
        if "kinds" in found and "relations" in found
    ]
    least = {
        min((row[i][j], (i + 1, j + 1)) for i in range(2) for j in range(4))[1] for row in rows
    }
    assert computed("least_monotonic_head").right <= least


def test_the_heads_that_align_best_and_next_and_what_their_intervals_do_not_separate() -> None:
    found = next(found for found in shipped() if found.get("gold"))
    at = found["reductions"].index("mean"), found["methods"].index("target")
    error, low, high = (found[key][at[0]][at[1]] for key in ("error", "low", "high"))
    every = [(layer, head) for layer in range(2) for head in range(4)]
    order = sorted(every, key=lambda head: error[head[0]][head[1]])
    for name, (best, *others) in {"aligning_head": order, "next_aligning_head": order[1:]}.items():
        most = high[best[0]][best[1]]
        heads = computed(name)
        assert heads.right == one(best)
        assert heads.nearly == {(i + 1, j + 1) for i, j in others if low[i][j] <= most}
        assert heads.nearly
        assert set(heads.measured) == {(i + 1, j + 1) for i, j in (best, *others)}


def test_what_is_not_measured_is_a_sentence() -> None:
    other = Context("demo-en-fr", opener=lambda run, step: replace(RUN, step=7))
    with pytest.raises(UserError, match="has not been measured"):
        ANSWERS["most_important_cross_head"].compute(other)


def test_the_weight_in_the_last_row() -> None:
    text = RUN.translate([SENTENCE], "beam")[0].text
    weights = RUN.attention(SENTENCE, text).decoder
    found = ANSWERS["last_row_first_weight"].compute(here(kind="decoder", layer="1", head="2"))
    assert found == pytest.approx(float(weights[0, 1, -1, 0]), abs=1e-6)
    for values in ({"layer": "1", "head": "mean"}, {"layer": "mean", "head": "2"}):
        with pytest.raises(UserError, match="shows a mean; choose one layer and one head"):
            ANSWERS["last_row_first_weight"].compute(here(kind="decoder", **values))


def test_uniform_weights_change_some_tokens() -> None:
    """Row by row: a hook makes the weights of that row uniform."""
    text = RUN.translate([SENTENCE], "beam")[0]
    src = torch.tensor([[*RUN.src_tokenizer.encode(SENTENCE), 2]])
    ids = text.hypotheses[0].ids
    tgt = torch.tensor([[1, *ids[:-1]]])
    changed = []
    with torch.inference_mode():
        own = RUN.model(src, tgt)[0].argmax(-1)
        for row in range(len(ids)):

            def uniform(module: Any, given: Any, weights: Any, row: int = row) -> Any:
                weights = weights.clone()
                weights[..., row, :] = 1 / src.shape[1]
                return weights

            modules = [each.weights for each in attentions(RUN.model, "cross")]
            hooks = [module.register_forward_hook(uniform) for module in modules]
            changed.append(int(RUN.model(src, tgt)[0, row].argmax()) != int(own[row]))
            for hook in hooks:
                hook.remove()
    found = ANSWERS["share_changed_by_uniform_weights"].compute(here())
    assert found == pytest.approx(100 * np.mean(changed))


@pytest.mark.parametrize(
    ("switched", "level", "words"),
    [
        ("", "wrong", "No head is off"),
        ("cross.1.1=off", "wrong", "Without 1 head the translation is still the same"),
        ("cross.2=off", "wrong", "Without 4 heads"),
        ("cross.1=off", "right", "without 4 heads it is"),
        ("cross=off", "nearly", "at most 4 heads"),
    ],
)
def test_a_translation_without_some_heads(switched: str, level: str, words: str) -> None:
    verdict = CONDITIONS["ablation_changes_translation"].judge(here(set=f"switched:{switched}"))
    assert verdict.level == level
    assert words in verdict.sentence


def test_rollout_spreads_over_more_words_than_the_second_layer() -> None:
    """As the note of a step says."""
    seen = RUN.attention(SENTENCE, RUN.translate([SENTENCE], "beam")[0].text)
    entropies = []
    for name in ("rollout", "mean"):
        weights = reduced(seen, HeadSelection("encoder", 1), name).weights
        entropies.append(-(weights * np.log(weights + 1e-12)).sum(-1).mean())
    assert entropies[0] > entropies[1]


def test_the_heads_of_the_exercise_are_those_that_link_every_word() -> None:
    step = EXERCISES["exercise-alignment"].steps[1]
    source = step.view.values["src"]
    target = RUN.translate([source], "greedy")[0].text
    assert target == "le vieux médecin a vu le petit bateau rouge"
    links = [0, 1, 2, 3, 3, 4, 5, 7, 6]
    cross = RUN.attention(source, target).cross[:, :, : len(links)]
    aligned = {(i + 1, j + 1) for i, j in np.argwhere((cross.argmax(-1) == links).all(-1)).tolist()}
    assert isinstance(step.question, HeadQuestion)
    assert set(step.question.answer) == aligned


def test_the_adjective_looks_at_its_noun_and_the_verb_does_not() -> None:
    found = ANSWERS["heads_from_last_to_second"].compute(here())
    assert isinstance(found, Heads)
    weights = RUN.attention(SENTENCE, RUN.translate([SENTENCE], "greedy")[0].text).encoder
    cat, was, black = (SENTENCE.split().index(word) for word in ("cat", "was", "black"))
    assert found.right == {(2, 1)}
    assert weights[1, 0, black, cat] > 0.97
    assert weights[:, :, was, cat].max() < 0.09


def test_the_answers_are_those_of_the_step_s_own_sentence() -> None:
    context = Context("demo-en-fr", values={"src": "a cat"}, start={"src": RED})
    weights = RUN.attention(RED, "la maison rouge est vieille").cross
    rouge, red, house = 2, 1, 2
    assert weights[-1, :, rouge].mean(0).argmax() == red
    assert ANSWERS["attended_by_adjective"].compute(context) == red
    heads = ANSWERS["article_attends_to_noun"].compute(context)
    assert isinstance(heads, Heads)
    layers, numbers = np.nonzero(weights[:, :, 0, house] >= 0.5)
    assert heads.right == set(zip(layers + 1, numbers + 1, strict=True)) >= {(1, 1), (1, 4)}
    assert not heads.right & heads.nearly
    assert heads.measured[1, 2] == f"a weight of {weights[0, 1, 0, house]:.2f} there"
    texts = {RUN.translate([RED], name)[0].text for name in ("greedy", "beam")}
    assert ANSWERS["greedy_and_beam"].compute(context) == len(texts) - 1 == 0


def test_a_sentence_that_is_too_short_is_a_sentence() -> None:
    context = Context("demo-en-fr", start={"src": "cat"})
    with pytest.raises(UserError, match="too short for this question"):
        ANSWERS["attended_by_adjective"].compute(context)
