"""Inside a model: scores, attention, states, interventions, and what an output depends on."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2s.analysis import (
    KINDS,
    LINK_METHODS,
    REDUCTIONS,
    GoldLinks,
    Head,
    HeadSelection,
    alignable_words,
    heads,
    merge_words,
    position_effect,
    principal_components,
    reduced,
    reordering_effect,
    score_links,
    summarize_heads,
    swapped_order,
    switched,
    to_pharaoh,
    trace_forward,
    unit,
    without_sinks,
)
from s2s.analysis.intervene import all_heads
from s2s.demo import DEMOS, random_sentences
from s2s.runs import Interventions, probes, states, teacher_forcing
from tests.answers.search import found_of, run, sentences
from tests.runs.intervened import translate_with

BANK = ("the bank is by the river", "I need to bank the money")
GOLD = GoldLinks(frozenset({(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)}))


def scores() -> dict[str, Any]:
    """Of every demo: its own and another target, forced, and the next token."""
    answers = {}
    for name in DEMOS:
        one = run(name)
        texts = sentences(name)
        targets = [each.text for each in one.translate(texts, "greedy")]
        answers[f"{name} score"] = one.score(texts, targets)
        answers[f"{name} forced"] = one.force(texts, [*targets[1:], targets[0]])
        ids = one.target_ids(targets[0])
        answers[f"{name} next token"] = one.next_tokens(texts[0], ids[:-1]).topk(3)
        reference = teacher_forcing.reference(one, texts[0], targets[1])
        answers[f"{name} reference"] = reference.log_probs
    return answers


def attention() -> dict[str, Any]:
    """Of every demo all weights and states; of one every reduction."""
    answers = {}
    for name in DEMOS:
        text = sentences(name)[0]
        (found,) = run(name).translate(text, "greedy")
        weights = run(name).attention(text, found.hypotheses[0].ids)
        answers[f"{name} tokens"] = [weights.src_tokens, weights.tgt_inputs, weights.tgt_tokens]
        for kind in KINDS:
            answers[f"{name} {kind}"] = weights.view(kind).weights
        vectors = run(name).states(text, found.hypotheses[0].ids)
        answers[f"{name} states"] = [vectors.encoder, vectors.decoder]
        answers[f"{name} roles"] = [summarize_heads(weights, kind) for kind in KINDS]
    return answers


def reductions() -> dict[str, Any]:
    """Every reduction of every kind of attention, whole and of one head."""
    text = sentences("demo-en-fr")[0]
    weights = run("demo-en-fr").attention(text, "le chat est assis sur le tapis")
    answers = {}
    for name, row in REDUCTIONS.items():
        for kind in row.kinds:
            every = reduced(weights, HeadSelection(kind), name)
            one = reduced(weights, HeadSelection(kind, 1, 2), name)
            answers[f"{name} {kind}"] = [every.name, every.weights, one.name, one.weights]
    picture = reduced(weights, HeadSelection("cross"))
    answers["merged words"] = merge_words(picture, rows_whole=True, keys_whole=True)
    answers["without sinks"] = without_sinks(picture)
    return answers


def alignments() -> dict[str, Any]:
    """Links of the weights by every method, and their scores."""
    answers = {}
    for name in ("demo-en-fr", "demo-en-de"):
        is_whole = name == "demo-en-fr"
        text = sentences(name)[0]
        (found,) = run(name).translate(text, "greedy")
        weights = run(name).attention(text, found.hypotheses[0].ids)
        picture = reduced(weights, HeadSelection("cross", 1))
        words = alignable_words(picture, rows_whole=is_whole, keys_whole=is_whole)
        for method, row in LINK_METHODS.items():
            links = row.extract(words.weights)
            answers[f"{name} {method}"] = [to_pharaoh(links), score_links(links, GOLD)]
    return answers


def hidden_states() -> dict[str, Any]:
    """State map, neighbors, two words, logit lens."""
    one = run("demo-en-fr")
    texts = random_sentences("builtin:en-fr")[:60]
    (found,) = one.translate(BANK[0], "greedy")
    target = found.hypotheses[0].ids
    vectors = one.states(BANK[0], target)
    maps = [principal_components(layer) for layer in vectors.encoder]
    index = states.state_index(one, texts)
    words = states.words_of(one, vectors)
    lens = states.logit_lens(one, vectors, target)
    near = [
        index.words[layer].nearest(words.vectors[layer, 1], 5)
        for layer in range(len(words.vectors))
    ]
    return {
        "map": [[np.abs(each.points), each.shares] for each in maps],  # a sign is arbitrary
        "similarity": unit(vectors.encoder[-1]) @ unit(vectors.encoder[-1]).T,
        "neighbors of a word": near,
        "neighbors of a sentence": index.sentences[-1].nearest(words.vectors[-1].mean(0), 5),
        "any two words": states.baseline(one, texts),
        "same context": states.same_context(one, texts[0], 1, texts),
        "logit lens": [lens.ids[:, :, 0], lens.probabilities, lens.target_ranks],
        "trace": trace_forward(one.model, probes.source_ids(one, BANK[0]), target, 1),
    }


def interventions() -> dict[str, Any]:
    """Heads switched off or made uniform, attention moved."""
    one = run("demo-en-fr")
    text = sentences("demo-en-fr")[0]
    target = one.translate(text, "greedy")[0].hypotheses[0].ids
    chosen, _ = switched.from_text("cross=off encoder.1=uniform", all_heads(one.model))
    changes = {
        "head off": Interventions(((Head("cross", 1, 0), "off"),)),
        "layer uniform": Interventions(
            tuple((Head("cross", 0, head), "uniform") for head in range(4))
        ),
        "attention moved": Interventions(position=1, keys=(4,)),
        "attention of a head moved": Interventions(
            position=2, keys=(0, 1), overridden=(Head("cross", 1, 1),)
        ),
        "heads of a link": Interventions(tuple(chosen.items())),
    }
    answers = {}
    for name, change in changes.items():
        result = translate_with(one, text, target, change, "greedy")
        rows = [result.next.before, result.next.after] if result.next else []
        answers[name] = [
            result.kept,
            found_of(result.before),
            found_of(result.after),
            result.attention.cross,
            [row.topk(3) for row in rows],
        ]
    return answers


def dependence() -> dict[str, Any]:
    """Patching, attribution, and changed attention weights."""
    one = run("demo-en-fr")
    text, other = "the cat sits on the mat", "the dog sits on the mat"
    target = one.translate(text, "greedy")[0].hypotheses[0].ids
    cat, dog = (one.target_ids(word)[0] for word in ("chat", "chien"))
    answers = {}
    for patch in heads.PATCHES:
        tokens = {"token_a": cat, "token_b": dog}
        given = probes.ProbeInput((text, other), target[:1], patch, tokens)
        answers[f"patching {patch}"] = probes.answered(one, "patching", given)
    for method in heads.ATTRIBUTIONS:
        given = probes.ProbeInput((text,), target, method, {})
        answers[f"attribution {method}"] = probes.answered(one, "attribution", given)
    for change in heads.WEIGHT_CHANGES:
        given = probes.ProbeInput((text, other), target, change, {})
        shift = probes.answered(one, "changed weights", given)
        answers[f"changed weights {change}"] = [
            np.median(shift.total_variation, 0),
            np.median(shift.jensen_shannon, 0),
        ]
    return answers


def reordering() -> dict[str, Any]:
    """Positions in a trained encoder: two words swapped."""
    answers = {}
    for name in ("demo-en-fr", "demo-en-de"):
        one = run(name)
        ids = probes.source_ids(one, sentences(name)[0])
        order = swapped_order(one.src_tokenizer.tokens(ids), (1, 2), is_whole=name == "demo-en-fr")
        answers[f"{name} swapped words"] = reordering_effect(one.model, ids, order)
        answers[f"{name} added positions"] = position_effect(one.model, ids)
    return answers
