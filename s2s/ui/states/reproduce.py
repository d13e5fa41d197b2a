"""The code that recomputes the view of States that is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from s2s.questions import MAX_SENTENCES
from s2s.runs import states as run_states
from s2s.ui.kit import reproduce
from s2s.ui.states import neighbors, pool
from s2s.ui.states.request import StatesRequest
from s2s.ui.states.view_state import STATE

ABOUT = "The command translates the sentence as the page does; the Python recomputes the numbers of this view."


def show(request: StatesRequest) -> None:
    """The folded section."""
    shell = reproduce.translate_command(request.run, STATE.now.strategy, {}, request.text)
    reproduce.section(ABOUT, lambda: (shell, python(request)))


def python(request: StatesRequest) -> str:
    """Its `states` are every vector of the sentence, the rest is the view's."""
    lines = "\n".join(CODE[request.view](request))
    names = [name for name in ANALYSIS if f"{name}(" in lines]
    imports = [
        *(["import numpy as np", ""] if "np." in lines else []),
        "import s2s",
        *([reproduce.imported("s2s.analysis", names)] if names else []),
        *(
            ["from s2s.data import LONGEST_CELL, Pair, load_preview, pairs_of_task"]
            if "load_preview(" in lines
            else []
        ),
        *(["from s2s.demo import random_sentences"] if "random_sentences(" in lines else []),
        *(["from s2s.runs import states"] if "states." in lines.replace("run.states", "") else []),
    ]
    return "\n".join(
        [
            *imports,
            "",
            f"run = {reproduce.load_call(request.run)}",
            f"text = {reproduce.quoted(request.text)}",
            reproduce.target_line(request.forced, STATE.now.strategy),
            "vectors = run.states(text, target)",
            f"layer = {request.layer}  # 0: the embeddings",
            lines,
        ]
    )


ANALYSIS = ("principal_components", "unit")  # of s2s.analysis, where a view needs them


def _second(request: StatesRequest) -> list[str]:
    strategy = reproduce.quoted(STATE.now.strategy)
    return [
        f"second = {reproduce.quoted(request.second)}",
        f"(found,) = run.translate([second], {strategy})",
        "second_vectors = run.states(second, found.hypotheses[0].ids)",
    ]


def _map(request: StatesRequest) -> list[str]:
    """Of one layer, or of all."""
    has_second = request.second_states is not None and STATE.now.shown == "both"
    side = request.side
    every = f"[vectors.{side}, second_vectors.{side}]" if has_second else f"[vectors.{side}]"
    lines = [
        *(_second(request) if has_second else []),
        f"points = np.concatenate({every}, axis=1)  # (n_layers + 1, tokens, d_model)",
    ]
    shown = "points" if STATE.now.layers == "all" else "points[layer : layer + 1]"
    return [
        *lines,
        f"projections = [principal_components(each) for each in {shown}]",
        "explained = [sum(each.shares) for each in projections]  # of the variance",
        f"n_first = vectors.{side}.shape[1]  # tokens of the first sentence",
        "maps = [(each.points[:n_first], each.points[n_first:]) for each in projections]",
        "similarity = unit(points[layer]) @ unit(points[layer]).T  # cosines, (tokens, tokens)",
        "print(maps, explained, similarity, sep='\\n')",
    ]


def _pool(request: StatesRequest) -> list[str]:
    """The sentences that this one is compared with."""
    source = reproduce.quoted(str(request.run.folder.about().get("source", "")))
    found = pool.pool(request.run)
    lines = ["own = []"]
    if found.n_own:
        lines = [
            f"shown = load_preview({source})",
            "pairs = [Pair(*row) for row in shown.rows if max(map(len, row)) < LONGEST_CELL]",
            "data, seed = run.recipe.data, run.recipe.train.seed",
            "made = pairs_of_task(pairs, data, seed, is_plain=shown.is_plain)",
            "own = [pair.src for pair in made if pair.src.strip()]",
            f"own = list(dict.fromkeys(own))[:{MAX_SENTENCES}]",
        ]
    if found.others == "held out":
        lines.append(f"others = random_sentences({source})")
    else:
        lines += [
            'samples = run.folder.lines("samples")',
            'others = [str(line["source"]) for line in samples if "source" in line]',
        ]
    return [*lines, f"texts = list(dict.fromkeys([*own, *others]))[:{MAX_SENTENCES}]"]


def _near(request: StatesRequest) -> list[str]:
    """Of a word, or of the sentence."""
    words = run_states.words_of(request.run, request.states)
    if not words.words:
        return ["print(vectors)"]
    unit = neighbors.chosen_unit(request, words)
    of_sentence = unit == neighbors.WHOLE
    kind = "sentences" if of_sentence else "words"
    vector = (
        "words.vectors[layer].mean(0)" if of_sentence else f"words.vectors[layer, {int(unit) - 1}]"
    )
    position = (
        [] if of_sentence else ["positions = [index.positions[hit.row][0] + 1 for hit in hits]"]
    )
    return [
        *_pool(request),
        "index = states.state_index(run, texts)",
        "searched = [texts[number] for number in index.numbers]",
        "itself = searched.index(text) if text in searched else None",
        "words = states.words_of(run, vectors)",
        f"of_layer = index.{kind}[layer]",
        f"hits = of_layer.nearest({vector}, {neighbors.N_NEIGHBORS}, without=itself)",
        *position,
        "for hit in hits:",
        "    print(hit.cosine, searched[of_layer.texts[hit.row]])",
    ]


def _lens(request: StatesRequest) -> list[str]:
    return [
        "lens = states.logit_lens(run, vectors, target)",
        "best = lens.probabilities[:, :, 0].T  # (tgt_len, n_layers + 1), as drawn",
        "n_most_probable = (lens.target_ranks == 1).sum(1).tolist()  # of each layer",
        "table = lens.target_ranks[layer], lens.probabilities[layer]",
        "print(n_most_probable, best, table, sep='\\n')",
    ]


# by the view's slug
CODE: Mapping[str, Callable[[StatesRequest], list[str]]] = MappingProxyType(
    {"map": _map, "near": _near, "lens": _lens}
)
