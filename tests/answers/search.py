"""Translations: every strategy on every demo, and every setting."""

from __future__ import annotations

from functools import cache
from typing import Any

from s2s import load
from s2s.api import Run
from s2s.decode import STRATEGIES
from s2s.demo import DEMOS, EXAMPLES
from s2s.runs import Decoded

# Sentences per demo; the last of the tasks' is long.
N_SENTENCES = 3
FORCED = {
    "demo-en-de": "Wäsche",
    "demo-en-fr": "grand",
    "demo-en-es": "grande",
    "demo-tasks": "the",
}
CLEAR = 15  # a seed whose draws are far from the bounds between two tokens
SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("greedy", {"max_new_tokens": 4}),
    ("greedy", {"min_new_tokens": 14, "repetition_penalty": 1.3}),
    ("greedy", {"prefix": "Maria"}),
    ("greedy", {"bad_words": "Wäsche"}),
    ("beam", {"num_beams": 2}),
    ("beam", {"num_beams": 8, "num_return_sequences": 8}),
    ("beam", {"length_penalty": 0.0}),
    ("beam", {"length_penalty": 2.0, "length_formula": "gnmt"}),
    ("beam", {"early_stopping": True}),
    ("beam", {"no_repeat_ngram_size": 2, "max_new_tokens": 12}),
    ("beam", {"encoder_no_repeat_ngram_size": 2}),
    ("diverse_beam", {"num_beams": 4, "num_beam_groups": 4, "diversity_penalty": 2.0}),
    ("sample", {"seed": 3, "num_return_sequences": 2, "max_new_tokens": 6}),
    ("sample", {"seed": 3, "temperature": 0.7, "max_new_tokens": 12}),
    ("sample", {"top_k": 5}),
    ("sample", {"top_p": 0.7}),
    ("sample", {"min_p": 0.1}),
    ("sample", {"typical_p": 0.6}),
    ("sample", {"epsilon_cutoff": 0.05}),
    ("sample", {"eta_cutoff": 0.1}),
    ("sample", {"top_h": 0.5}),
    ("beam_sample", {"num_beams": 3, "temperature": 1.3, "max_new_tokens": 12, "seed": 2}),
    ("stochastic_beam", {"num_beams": 3, "seed": 4}),
    ("contrastive", {"penalty_alpha": 0.3, "top_k": 6}),
    ("mbr", {"num_samples": 8, "utility": "bleu"}),
    ("mbr", {"num_samples": 8, "seed": 7, "temperature": 1.2}),
    ("constrained", {"force_words": "morgen", "num_beams": 8}),
)


@cache
def run(name: str) -> Run:
    """A demo, opened once."""
    return load(name)


def sentences(name: str) -> tuple[str, ...]:
    """Of a demo's examples the first ones."""
    return EXAMPLES[DEMOS[name]][:N_SENTENCES]


def found_of(found: Decoded, n_best: int = 2) -> list[Any]:
    """Of the best hypotheses ids, text, log-probability and score."""
    return [[one.ids, one.text, one.log_prob, one.score] for one in found.hypotheses[:n_best]]


def strategies() -> dict[str, Any]:
    """Every strategy on every demo."""
    answers = {}
    for name in DEMOS:
        own = {"constrained": {"force_words": FORCED[name]}, "sample": {"seed": CLEAR}}
        for strategy in STRATEGIES:
            every = run(name).translate(sentences(name), strategy, **own.get(strategy, {}))
            answers[f"{name} {strategy}"] = [found_of(one) for one in every]
    return answers


def settings() -> dict[str, Any]:
    """Settings of the strategies, on demo-en-de."""
    answers = {}
    for strategy, chosen in SETTINGS:
        found = run("demo-en-de").translate(sentences("demo-en-de")[1:], strategy, **chosen)
        answers[f"{strategy} {chosen}"] = [found_of(one, 8) for one in found]
    return answers


def searches() -> dict[str, Any]:
    """What else a search tells: its tree, a forced beginning, the most probable target, other checkpoints."""
    text = sentences("demo-en-fr")[0]
    one = run("demo-en-fr")
    (beam,) = one.translate(text, "beam", num_beams=3)
    tree = one.tree(beam, "beam", num_beams=3)
    (exact,) = one.more_probable([text], [-20.0], "beam")
    (noise,) = one.translate(text, "sample", seed=9)
    return {
        "tree": tree,
        "forced beginning": found_of(one.complete(text, beam.hypotheses[0].ids[:2], "beam")),
        "exact search": exact,
        "token log-probabilities": beam.hypotheses[0].token_log_probs,
        "tree of a sample": one.tree(noise, "sample", seed=9),
        "last checkpoint": [
            found_of(each) for each in load("demo-en-fr", "last").translate(text, "beam")
        ],
        "unknown words": [each.unknown for each in one.translate("the zyx sits on the mat")],
        "empty source": [each.to_json() for each in one.translate("")],
    }
