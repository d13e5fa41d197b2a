"""A translation against a reference: where the two part, which token was hard, and whether the search or the model is to blame."""

from __future__ import annotations

import csv
import html
import io
import math
from functools import partial

import pandas as pd
import streamlit as st

from s2s import plots
from s2s.analysis import SearchDiagnosis, probability_ratio
from s2s.plots import TokenLoss, fine_percent
from s2s.runs import WIDE_BEAM, Decoded, DecodedHypothesis, Reference, Run, first_difference
from s2s.scores import METRICS
from s2s.share import printable
from s2s.ui.kit import address, cached
from s2s.ui.kit.captions import file_name, nats
from s2s.ui.kit.charts import chart
from s2s.ui.kit.sentence import MAX_CHARACTERS
from s2s.ui.kit.text import plain, shortened
from s2s.ui.steps import request
from s2s.ui.steps.request import Asked

BOX = "reference box"
EXAMPLES = 3
WIDTH = dict(WIDE_BEAM)["num_beams"]


def show(asked: Asked) -> None:
    """The box, the verdict, the loss of every token."""
    wanted = _box(asked)
    _examples(asked.run)
    if not wanted:
        st.info(
            "Type the translation that you would want: you see how hard each of its words is for the model, and whether the search"
            " or the model is to blame where it wrote another.",
            icon=":material/rule:",
        )
        return
    reference = cached.reference(asked.run, asked.text, wanted)
    if reference.unknown:
        words = ", ".join(f"*{plain(shortened(word))}*" for word in reference.unknown[:5])
        st.caption(
            f":material/help: The model cannot write {words}: `<unk>` stands there, and the numbers are those of `<unk>`."
        )
    with st.container(border=True):
        _verdict(asked, reference)
    with st.container(border=True):
        _losses(asked, reference)


def _box(asked: Asked) -> str:
    """The reference; the address holds it as `tgt`."""
    said = address.arrived("tgt")
    meant = (asked.run.folder.id, asked.text)
    if said is not None:
        st.session_state[BOX] = said
    elif st.session_state.get(f"{BOX} of", meant) != meant:  # a reference belongs to its sentence
        st.session_state[BOX] = ""
    st.session_state[f"{BOX} of"] = meant
    typed = st.text_input(
        "Reference",
        key=BOX,
        placeholder="The translation that you would want",
        help="The model is made to write it, token by token (teacher forcing).",
        persist_state="session",
        icon=":material/rule:",
    )
    text = " ".join(printable(typed or "").split())[:MAX_CHARACTERS]
    address.hold("tgt", text)
    return text


def _examples(run: Run) -> None:
    """Sentences with their references, from the run's own probes."""
    pairs = cached.probes(run)[:EXAMPLES]
    if pairs:
        with st.container(horizontal=True, gap="xsmall", key="pairs"):
            for number, (source, target) in enumerate(pairs):
                label = f"{plain(shortened(source))} → {plain(shortened(target))}"
                st.button(
                    label, key=f"pair{number}", on_click=_take, args=(run.folder.id, source, target)
                )


def _take(run_id: str, source: str, target: str) -> None:
    st.session_state["src"], st.session_state[BOX] = source, target
    st.session_state[f"{BOX} of"] = (run_id, source)


def _verdict(asked: Asked, reference: Reference) -> None:
    """Which failed, in a sentence, and the three log-probabilities."""
    found = asked.found
    wide = cached.wide_search(asked.run, asked.text)
    verdict = SearchDiagnosis(
        reference.log_prob, found.log_prob, wide.log_prob, found.text == reference.text
    )
    st.subheader("Search error or model error?", anchor=False)
    st.markdown(
        " ".join(
            sentences(
                verdict,
                closeness(wide.text, reference.text) - closeness(found.text, reference.text),
            )
        )
    )
    st.html(_rows(reference, found, wide, asked.strategy))
    st.caption(
        f"Log-probabilities are the model's own, `</s>` included. The wide beam keeps {WIDTH} prefixes and ranks by log-probability"
        " alone; it is no proof that nothing is more probable. The question is that of Stahlberg and Byrne (2019)."
    )


def sentences(verdict: SearchDiagnosis, nearer: float) -> list[str]:
    """What happened; `nearer`: by how many points of chrF the wide beam's text is nearer to the reference than what was found."""
    return [_first(verdict), *_second(verdict, nearer)]


def _first(verdict: SearchDiagnosis) -> str:
    if verdict.kind == "none":
        return "**No error.** The model wrote the reference."
    if verdict.kind == "search":
        factor = many(probability_ratio(verdict.reference, verdict.written))
        prefers = f"The model prefers the reference, {factor} as probable as what was written"
        return f"**Search error.** {prefers}, and the search did not find it."
    factor = many(probability_ratio(verdict.written, verdict.reference))
    prefers = f"The model itself prefers what was written, {factor} as probable as the reference"
    return f"**Model error.** {prefers}: a perfect search would not write the reference either."


def _second(verdict: SearchDiagnosis, nearer: float) -> list[str]:
    said = []
    if verdict.is_missed:
        factor = many(probability_ratio(verdict.wide, verdict.written))
        better = (
            "nearer to the reference"
            if nearer > 0
            else "farther from the reference"
            if nearer < 0
            else "as near to the reference"
        )
        also = "**A search error, too.** " if verdict.kind != "search" else ""
        said.append(
            f"{also}A beam of {WIDTH} finds a text {factor} as probable as what was written; it is {better}."
        )
    if verdict.kind != "none" and verdict.is_beyond:
        said.append(f"Even a beam of {WIDTH} does not find the reference.")
    return said


def many(factor: float) -> str:
    """`3.24` -> `3.2 times`; what is hardly more is `about`."""
    number = (
        f"{factor:.1f}"
        if factor < 10
        else f"{factor:,.0f}"
        if factor < 1e6
        else "more than a million"
    )
    return "about" if factor < 1.05 else f"{number} times"


def closeness(text: str, reference: str) -> float:
    """chrF, 0 to 100."""
    return METRICS["chrf"].compute([text], [reference]).value


def _rows(reference: Reference, found: Decoded, wide: Decoded, strategy: str) -> str:
    """A table of the three texts."""
    cells = [
        ("reference", reference.text, reference.log_prob),
        (f"written ({strategy})", found.text, found.log_prob),
        (f"beam of {WIDTH}", wide.text, wide.log_prob),
    ]
    names = ("whose", "text", "log-probability (nats)", "chrF")
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    body = "".join(
        _row(names, [who, text, nats(log_prob), f"{closeness(text, reference.text):.0f}"])
        for who, text, log_prob in cells
    )
    return f'<div class="samples"><table><tr>{head}</tr>{body}</table></div>'


def _row(names: tuple[str, ...], cells: list[str]) -> str:
    pairs = zip(names, cells, strict=True)
    return (
        "<tr>"
        + "".join(
            f'<td dir="auto" data-of="{name}">{html.escape(cell) or "(nothing)"}</td>'
            for name, cell in pairs
        )
        + "</tr>"
    )


def _losses(asked: Asked, reference: Reference) -> None:
    """Teacher forcing beside free running."""
    own = asked.found.hypotheses[0]
    parting = first_difference(reference.ids, own.ids)
    st.subheader("Forced to write the reference, and left free", anchor=False)
    title = f"{cached.title(asked.run.folder.id)} · step {asked.run.step:,}\nloss at each place, forced and free"
    forced = [
        TokenLoss(*row)
        for row in zip(
            reference.tokens,
            (-value for value in reference.log_probs),
            _about(reference),
            strict=True,
        )
    ]
    free = [
        TokenLoss(text, -value) for text, value in zip(own.tokens, own.token_log_probs, strict=True)
    ]
    alt = f"Loss of each token of the reference; the hardest is {max(forced, key=lambda token: token.loss).text}"
    with st.container(key="losses"):
        chart(
            plots.token_losses(forced, free, parting, title=title),
            alt=alt,
            file_name=file_name(title),
        )
    st.caption(plots.PLOTS["token_losses"].caption)
    st.markdown(parted(reference, own.tokens, parting))
    if parting is not None and parting < len(own.ids):
        st.button(
            "See what else could stand there",
            key="there",
            icon=":material/arrow_forward:",
            on_click=_look,
            args=(parting,),
        )
    st.dataframe(
        pd.DataFrame(_table(own, reference)),
        hide_index=True,
        alt="Every place of the reference",
        key="places",
    )
    make = partial(numbers, own, reference)
    st.download_button(
        "Numbers (CSV)",
        make,
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _look(place: int) -> None:
    """The place where they part, as the view of the next word has it: until there both are the same."""
    st.session_state[request.VIEW] = "next"
    request.remember(at=str(place + 1), forced="")


def _about(reference: Reference) -> list[str]:
    return [
        f", rank {rank}; the model would write {wish}"
        for rank, wish in zip(reference.ranks, reference.predicted, strict=True)
    ]


def parted(reference: Reference, own: tuple[str, ...], place: int | None) -> str:
    """Where the two part, in a sentence."""
    loss = f"The loss of the whole reference is {-reference.log_prob:.2f} nats, {-reference.log_prob / len(reference.ids):.2f} a token."
    if place is None:
        return f"The model's own translation is the reference, token by token. {loss}"
    theirs, ours = (
        plain(side[place]) if place < len(side) else "nothing" for side in (reference.tokens, own)
    )
    return f"They part at place {place + 1}: the reference has *{theirs}*, the model wrote *{ours}*. {loss}"


HEAD = (
    "place",
    "reference",
    "loss (nats)",
    "probability",
    "rank",
    "the model would write",
    "its own",
    "its own loss (nats)",
    "parted",
)


def _table(own: DecodedHypothesis, reference: Reference) -> list[dict[str, object]]:
    """A row a place; where one of the two has ended, its cells are empty."""
    parting = first_difference(reference.ids, own.ids)
    rows = []
    for place in range(max(len(reference.ids), len(own.ids))):
        forced: tuple[object, ...] = ("", None, "", None, "")
        if place < len(reference.ids):
            value = reference.log_probs[place]
            forced = (
                reference.tokens[place],
                round(-value, 4),
                fine_percent(math.exp(value)),
                reference.ranks[place],
                reference.predicted[place],
            )
        free = (
            (own.tokens[place], round(-own.token_log_probs[place], 4))
            if place < len(own.ids)
            else ("", None)
        )
        rows.append(
            dict(
                zip(
                    HEAD,
                    (
                        place + 1,
                        *forced,
                        *free,
                        "≠" if parting is not None and place >= parting else "",
                    ),
                    strict=True,
                )
            )
        )
    return rows


def numbers(own: DecodedHypothesis, reference: Reference) -> str:
    """The table as CSV."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(HEAD)
    for row in _table(own, reference):
        rows.writerow(
            [plots.csv_cell(value) if isinstance(value, str) else value for value in row.values()]
        )
    return out.getvalue()
