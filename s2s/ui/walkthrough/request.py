"""What the Walkthrough shows: a sentence, one step of its way, and which layer, head and word; and the address of all that.

What no other key of the address holds travels in `set`: the step, by its slug, and the word's place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import streamlit as st

from s2s import share
from s2s.analysis import ForwardTrace
from s2s.config import ModelConfig, Stack
from s2s.runs import Reference, Run
from s2s.ui.kit import address, cached, pickers, sentence, vocabulary
from s2s.ui.kit import target as kit_target
from s2s.ui.kit.text import plain, shortened
from s2s.ui.walkthrough import cached as walkthrough_cached
from s2s.ui.walkthrough import pictures as walkthrough_pictures
from s2s.ui.walkthrough.code import Code, excerpt

SAID = "walk said"
STEP = "walk step"
PLACE = "walk place"
USUALLY = {"step": "pieces", "position": "2"}  # the first word of a sentence is often an article
STRATEGY = "greedy"  # writes what the last step says: the most probable token, again and again


@dataclass(frozen=True)
class Walk:
    """What a step draws. `written` is what the decoder is made to write; layer, head and places count from 0."""

    run: Run
    text: str
    written: Reference
    is_own: bool  # whether that is the model's own translation
    layer: int
    head: int
    place: int

    @property
    def config(self) -> ModelConfig:
        """Of the model."""
        return self.run.recipe.model

    @property
    def src(self) -> tuple[int, ...]:
        """The source's ids up to `</s>`."""
        return (*self.run.src_tokenizer.encode(self.text), self.config.ids.eos)

    @property
    def tgt(self) -> tuple[int, ...]:
        """What the decoder reads, from the start id on."""
        return (self.config.ids.start, *self.written.ids[:-1])

    @property
    def src_tokens(self) -> list[str]:
        """As people read them."""
        return self.run.src_tokenizer.tokens(self.src)

    @property
    def tgt_tokens(self) -> list[str]:
        """What the decoder reads."""
        return self.run.tgt_tokenizer.tokens(self.tgt)

    @property
    def seen(self) -> ForwardTrace:
        """Every tensor."""
        return walkthrough_cached.dissected(self.run, self.src, self.tgt, self.layer)


class Step(NamedTuple):
    """One row of the way. Formula, words and source lines follow the run's config: they say what this model does."""

    title: str
    part: str
    formula: Callable[[Run], str]  # LaTeX
    words: Callable[[Run], tuple[str, str]]  # two sentences, markdown
    code: Callable[[Run], tuple[Code, ...]]
    draw: Callable[[Walk], None]
    settings: tuple[
        str, ...
    ] = ()  # of `layer`, `head`, and `src` or `tgt` where a word of that side is chosen
    stack: str = "encoder"
    when: Callable[[ModelConfig], bool] = lambda config: True
    is_wide: bool = False  # the pictures stand below the words, not beside them


Steps = Mapping[str, Step]


def ask(steps: Steps) -> tuple[Step, Walk] | None:
    """The widgets, filled from the address where it says something new. None where there is nothing to show yet, which is said."""
    if (given := address.arrived("set")) is not None:
        _fill(share.unpack(given))
    run = cached.open_run(st.session_state["run"])
    there = {slug: step for slug, step in steps.items() if step.when(run.recipe.model)}
    slug = _step(steps, there)
    step = there[slug]
    _navigation(there, slug)
    facts = vocabulary.of(run)
    with st.container(horizontal=True, vertical_alignment="bottom", key="walk sentence"):
        text = sentence.sentence_box(facts)
        with st.popover("Sentences, target", icon=":material/edit_note:"):
            sentence.example_chips(facts)
            target = kit_target.target_box(run, text, STRATEGY) if text else ""
    sentence.unknown_words(run, facts, text)
    if not text:
        st.info(
            "Type a sentence above: what the model makes of it, number by number, appears here.",
            icon=":material/edit:",
        )
        return None
    return step, _walk(run, step, text, target)


def show(step: Step, walk: Walk) -> None:
    """Pictures on the left, words on the right; on a phone the words come first."""
    if step.is_wide:
        words = st.container()
        pictures = st.container()
    else:
        with st.container(key="walk"):
            pictures, words = st.columns([3, 2], gap="medium")
    with words, st.container(border=True):
        explained(step, walk.run)
    with pictures, st.container(border=True):
        step.draw(walk)
        walkthrough_pictures.legend()


def explained(step: Step, run: Run) -> None:
    """Formula, two sentences, the source."""
    st.latex(step.formula(run))
    for words in step.words(run):
        st.markdown(words)
    with st.expander("The lines that do it", icon=":material/code:"):
        for code in step.code(run):
            part = excerpt(code)
            st.caption(f"`{part.file}`, from line {part.start}")
            st.code(part.text, language="python")


def _walk(run: Run, step: Step, text: str, target: str) -> Walk:
    """The sentence taken apart at the chosen layer, head and word."""
    written = cached.reference(run, text, target)
    stack: Stack = getattr(run.recipe.model, step.stack)
    bare = Walk(run, text, written, target == cached.decoded(run, text, STRATEGY, {}).text, 0, 0, 0)
    with st.container(horizontal=True, vertical_alignment="bottom", key="walk settings"):
        layer = _numbered("Layer", "layer", stack.n_layers, is_there="layer" in step.settings)
        head = _numbered("Head", "head", stack.n_heads, is_there="head" in step.settings)
        place = _place(bare, step)
    return Walk(run, text, written, bare.is_own, layer, head, place)


def _step(steps: Steps, there: Steps) -> str:
    """Which step is shown; one that this model does not have gives way to the one before it."""
    slug = _held()["step"]
    if slug not in steps:
        pickers.notify(
            f"There is no step {shortened(slug)} of the walkthrough; the first is shown instead."
        )
        slug = next(iter(there))
    elif slug not in there:
        order = [*steps]
        before = [each for each in order[: order.index(slug)] if each in there]
        pickers.notify(
            f"This model has no step `{steps[slug].title}`; the one before it is shown instead."
        )
        slug = before[-1]
    _remember(step=slug)
    return slug


def _navigation(there: Steps, slug: str) -> None:
    """Back, the list of all steps, on, and how far one has come."""
    slugs = [*there]
    at = slugs.index(slug)
    names = {
        each: f"{number} of {len(slugs)} · {row.part} · {row.title}"
        for number, (each, row) in enumerate(there.items(), 1)
    }
    st.session_state[STEP] = slug
    with st.container(horizontal=True, vertical_alignment="center", key="walk way"):
        before = slugs[max(0, at - 1)]
        after = slugs[min(len(slugs) - 1, at + 1)]
        st.button(
            "Previous",
            key="walk back",
            icon=":material/arrow_back:",
            disabled=at == 0,
            on_click=_go,
            args=(before,),
        )
        st.selectbox(
            "Step",
            slugs,
            format_func=names.__getitem__,
            key=STEP,
            on_change=_chosen,
            label_visibility="collapsed",
        )
        is_last = at == len(slugs) - 1
        st.button(
            "Next",
            key="walk on",
            type="primary",
            icon=":material/arrow_forward:",
            disabled=is_last,
            on_click=_go,
            args=(after,),
        )
    st.progress((at + 1) / len(slugs))
    st.subheader(there[slug].title, anchor=False)


def _go(slug: str) -> None:
    _remember(step=slug)


def _chosen() -> None:
    _remember(step=st.session_state[STEP])


def _numbered(label: str, key: str, n: int, *, is_there: bool) -> int:
    """A layer or head, from 0; the address holds it from 1. Greyed where a step has none, so that nothing moves."""
    options = [str(number) for number in range(1, n + 1)]
    given = st.query_params.get_all(key)
    is_known = not given or given[-1] in (*options, pickers.MEAN)
    if not is_known:
        pickers.notify(
            f"The link asked for {key} {shortened(given[-1])}, which this model doesn't have here; {key} 1 is shown instead."
        )
    if (
        st.session_state.get(key, "1") not in options
    ):  # the mean of all, on another page, or another stack's
        st.session_state[key] = options[0]
    if n <= pickers.MAX_SEGMENTS:
        chosen = st.segmented_control(
            label,
            options,
            default="1",
            required=True,
            key=key,
            bind="query-params",
            disabled=not is_there,
        )
    else:
        chosen = st.selectbox(
            label, options, key=key, bind="query-params", width=110, disabled=not is_there
        )
    return int(chosen or 1) - 1


def _place(walk: Walk, step: Step) -> int:
    """The chosen word's place in what the step looks at, from 0."""
    said = _held()["position"]
    longest = max(len(walk.src), len(walk.tgt))
    if not (said.isdecimal() and 1 <= int(said[:9]) <= longest):
        pickers.notify(
            f"There is no word {shortened(said)} in this sentence; word 1 is shown instead."
        )
        said = "1"
        _remember(position=said)
    tokens = walk.tgt_tokens if "tgt" in step.settings else walk.src_tokens
    place = min(int(said), len(tokens)) - 1
    if {"src", "tgt"} & {*step.settings}:
        st.session_state[PLACE] = place
        names = [f"{number} · {token}" for number, token in enumerate(tokens, 1)]
        st.selectbox(
            "Word",
            range(len(tokens)),
            format_func=names.__getitem__,
            key=PLACE,
            on_change=_placed,
            width=190,
        )
    return place


def _placed() -> None:
    _remember(position=str(st.session_state[PLACE] + 1))


def _held() -> dict[str, str]:
    held: dict[str, str] = st.session_state.setdefault(SAID, dict(USUALLY))
    return held


def _remember(**values: str) -> None:
    st.session_state[SAID] = {**_held(), **values}
    address.hold("set", share.pack(st.session_state[SAID]), share.pack(USUALLY))


def _fill(said: Mapping[str, str]) -> None:
    st.session_state[SAID] = {name: said.get(name) or usual for name, usual in USUALLY.items()}


def quoted(token: str) -> str:
    """A token within a sentence of markdown."""
    return f"*{plain(token)}*"


def lines(*formulas: str) -> str:
    """Short formulas one below the other: a long one would not fit beside the pictures."""
    rows = r" \\ ".join(f"& {each}" for each in formulas)
    return rf"\begin{{aligned}} {rows} \end{{aligned}}"
