"""From the decoder's states to words: logits, probabilities, the chosen token, and again; teacher forcing beside free running."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
import streamlit as st

from s2s import plots
from s2s.analysis import Array, experiments
from s2s.decode import greedy
from s2s.model import Transformer
from s2s.plots import fine_percent
from s2s.runs import DecodedHypothesis, Reference, Run, first_difference
from s2s.ui.kit import cached
from s2s.ui.kit.text import plain, shortened
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.pictures import figure, numbers
from s2s.ui.walkthrough.request import STRATEGY, Step, Walk, lines, quoted

TOP = 10  # tokens that have a bar
PAIRS = 3  # of the run's own sentences, to take


def _logits(walk: Walk) -> None:
    seen = walk.seen
    place = walk.place
    numbers("The decoder's states", seen.decoder_states, walk.tgt_tokens, mark=place)
    row = seen.logits[place]
    _ranked(
        walk,
        row,
        f"Logits behind {walk.tgt_tokens[place]}\nthe {min(TOP, len(row))} largest of {len(row):,}",
        "logit",
        ".2f",
    )


def _probabilities(walk: Walk) -> None:
    row = experiments.softmax(walk.seen.logits[walk.place])
    name = f"Probabilities behind {walk.tgt_tokens[walk.place]}"
    shown = _ranked(
        walk, row, f"{name}\nthe {min(TOP, len(row))} largest of {len(row):,}", "probability", ".2%"
    )
    st.caption(
        f"All other tokens together have {fine_percent(max(0.0, 1.0 - shown))}. Raising a logit by 1 multiplies its odds by 2.72."
    )


def _ranked(walk: Walk, row: Array, title: str, across: str, form: str) -> float:
    """The most probable tokens at a place; returns the sum of what is shown."""
    order = np.argsort(-row, kind="stable")
    best = [int(each) for each in order[:TOP]]
    names = walk.run.tgt_tokenizer.tokens(best)
    bars = [(name, float(row[each])) for name, each in zip(names, best, strict=True)]
    drawn = plots.ranked_tokens(bars, title=title, across=across, chosen=0, form=form)
    everything = walk.run.tgt_tokenizer.tokens(map(int, order))
    figure(
        "ranked_tokens",
        drawn,
        title.partition("\n")[0],
        values=row[order][:, None],
        rows=everything,
        columns=(across,),
    )
    return float(row[best].sum())


def _chosen(walk: Walk) -> None:
    own = _own(walk)
    if own is None:
        return
    log_probs = own.token_log_probs
    start = walk.tgt_tokens[0]
    size = walk.run.tgt_tokenizer.vocab_size
    rows = [
        {
            "step": at,
            "reads": " ".join((start, *own.tokens[: at - 1])),
            "chooses": token,
            "probability": float(np.exp(value)),
        }
        for at, (token, value) in enumerate(zip(own.tokens, log_probs, strict=True), 1)
    ]
    share = st.column_config.NumberColumn(format="%.4f")
    st.dataframe(
        rows,
        hide_index=True,
        column_config={"probability": share},
        alt="What is read and chosen at each step",
    )
    is_ended = own.ids[-1] == walk.config.ids.eos
    ends = (
        "It stops where it chooses the end."
        if is_ended
        else "It was stopped at the longest that a target may be."
    )
    st.caption(
        f"{len(own.tokens)} steps wrote {quoted(own.text)}, out of {size:,} tokens each time. {ends}"
    )


def _own(walk: Walk) -> DecodedHypothesis | None:
    """What the model writes by itself; None where that is nothing, which is said."""
    found = cached.decoded(walk.run, walk.text, STRATEGY, {}).hypotheses
    if not found:
        st.info("The model writes nothing for this sentence.", icon=":material/block:")
    return found[0] if found else None


def wanted(walk: Walk) -> Reference:
    """What a teacher would want, which is said: the typed target, else the run's own reference, else the model's second thought."""
    known = dict(cached.probes(walk.run))
    with st.container(horizontal=True, vertical_alignment="center"):
        found, why = _teacher(walk, known)
        st.caption(f"The teacher wants {quoted(found.text)}: {why}.")
        _offers(walk, known)
    return found


def _teacher(walk: Walk, known: Mapping[str, str]) -> tuple[Reference, str]:
    if not walk.is_own:
        return walk.written, "the target that was typed"
    if walk.text in known:
        return cached.reference(
            walk.run, walk.text, known[walk.text]
        ), "the reference that the run was given"
    rivals = cached.decoded(walk.run, walk.text, "beam", {"num_return_sequences": 2}).hypotheses
    other = next(
        (each.text for each in rivals if each.text != walk.written.text), walk.written.text
    )
    second = (
        "there is no reference for this sentence, so the model's second-best translation stands in"
    )
    return cached.reference(walk.run, walk.text, other), second


def _offers(walk: Walk, known: Mapping[str, str]) -> None:
    """A sentence with its reference by one press."""
    if not known:
        return
    with st.popover("A pair of this run", icon=":material/rule:"):
        for number, (source, target) in enumerate([*known.items()][:PAIRS]):
            label = f"{plain(shortened(source))} → {plain(shortened(target))}"
            st.button(
                label,
                key=f"walk pair{number}",
                on_click=_take,
                args=(walk.run.folder.id, source, target),
            )


def _take(run_id: str, source: str, target: str) -> None:
    st.session_state["src"], st.session_state["tgt box"] = source, target
    st.session_state["tgt of"] = (run_id, source)


def _forcing(walk: Walk) -> None:
    own = _own(walk)
    reference = wanted(walk)
    if own is None:
        return
    parting = first_difference(own.ids, reference.ids)
    start = walk.tgt_tokens[0]
    st.html(_table(own, reference, start))
    if parting is None:
        st.caption(
            "They read the same all the way here, because the model writes the reference. Take another to see them part."
        )
        return
    taught, alone = (
        quoted(" ".join((start, *each.tokens[: parting + 1]))) for each in (reference, own)
    )
    st.caption(
        f"They part at place {parting + 1}: after it the teacher makes the model read {taught}, whatever it would have chosen; by itself it"
        f" reads {alone}, its own choice."
    )


def _table(own: DecodedHypothesis, reference: Reference, start: str) -> str:
    """Side by side; what differs is underlined."""
    names = ("place", "teacher: reads", "would write", "is told", "free: reads", "writes")
    forced = [*zip((start, *reference.tokens), reference.predicted, reference.tokens, strict=False)]
    free = [*zip((start, *own.tokens), own.tokens, strict=False)]
    rows = []
    for at in range(max(len(forced), len(free))):
        taught = forced[at] if at < len(forced) else ("",) * 3
        alone = free[at] if at < len(free) else ("",) * 2
        cells = [str(at + 1), *taught, _marked(alone[0], taught[0]), _marked(alone[1], taught[2])]
        rows.append(_row(names, [*map(html.escape, cells[:4]), *cells[4:]]))
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    return f'<div class="samples"><table><tr>{head}</tr>{"".join(rows)}</table></div>'


def _row(names: Sequence[str], cells: Sequence[str]) -> str:
    """Each cell knows its column's name: on a phone they stand one below the other."""
    pairs = zip(names, cells, strict=True)
    return (
        "<tr>"
        + "".join(f'<td dir="auto" data-of="{name}">{cell}</td>' for name, cell in pairs)
        + "</tr>"
    )


def _marked(text: str, other: str) -> str:
    return html.escape(text) if text == other else f"<u>{html.escape(text)}</u>"


def _logits_formula(run: Run) -> str:
    config = run.recipe.model
    table = "E_{tgt}" if config.output.tied else "W_{out}"
    scale = rf"\,/\sqrt{{{config.d_model}}}" if config.output.scaled else ""
    bias = " + b" if config.output.bias else ""
    return (
        rf"\ell_t = {table}\, s_t{scale}{bias} \in \mathbb{{R}}^{{{run.tgt_tokenizer.vocab_size}}}"
    )


def _logits_words(run: Run) -> tuple[str, str]:
    size = run.tgt_tokenizer.vocab_size
    first = f"The state of a place is compared with one vector for each of the {size:,} tokens: the better they fit, the larger the logit."
    if run.recipe.model.output.tied:
        return (
            first,
            "These vectors are the very rows by which the target's words were read (tied weights).",
        )
    return (
        first,
        "These vectors are a table of their own, apart from the one by which the target's words were read.",
    )


ROWS: Mapping[str, Step] = MappingProxyType(
    {
        "logits": Step(
            "Logits: a score for every word", "Writing", _logits_formula, _logits_words,
            lambda run: (Code(Transformer.forward, "return"), Code(Transformer.project)),
            _logits, ("tgt",), "decoder",
        ),
        "probabilities": Step(
            "Softmax: from logits to probabilities", "Writing",
            lambda run: r"P(y_t = w \mid y_{<t}, X) = \frac{\exp \ell_{t,w}}{\sum_{w'} \exp \ell_{t,w'}}",
            lambda run: (
                "The same softmax as inside attention makes shares of the logits: what the model holds for how probable as the next token.",
                "It is the only thing that the model ever says; all ways of decoding choose from this.",
            ),
            lambda run: (Code(Run.next_tokens, "with inference", "return"),),
            _probabilities, ("tgt",), "decoder",
        ),
        "chosen": Step(
            "The chosen token, and again", "Writing",
            lambda run: lines(r"\hat y_t = \arg\max_w P(w \mid \hat y_{<t}, X)", r"\text{until } \hat y_t = \texttt{</s>}"),
            lambda run: (
                "The most probable token is written, put behind what the decoder reads, and everything in the decoder happens again.",
                "This is greedy search; beam search keeps several beginnings alive instead, as the page Steps shows.",
            ),
            lambda run: (Code(greedy, "for _ in range", "now = tokens"),),
            _chosen, stack="decoder",
        ),
        "forcing": Step(
            "Teacher forcing, free running", "Writing",
            lambda run: lines(r"\text{teacher: } P(y_t \mid y_{<t}, X)", r"\text{free: } P(\hat y_t \mid \hat y_{<t}, X)"),
            lambda run: (
                "In training a teacher puts the right words before each place, whatever the model would have written.",
                "By itself the model reads its own words, and a slip stays: it has to go on from there, as it never had to in training.",
            ),
            lambda run: (Code(Transformer.forward, "return"), Code(Run.next_tokens, "with inference", "log_probs")),
            _forcing, stack="decoder",
        ),
    }
)  # fmt: skip
