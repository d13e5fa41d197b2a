"""A translation against a reference: where they first differ, which tokens are hard, and what is to blame."""

from __future__ import annotations

import html
from functools import partial

import pandas as pd
import streamlit as st

from s2s import plots
from s2s.analysis import SearchDiagnosis, probability_ratio
from s2s.plots import TokenLoss
from s2s.runs import WIDE_BEAM, Decoded, Reference, Run, first_difference
from s2s.scores import METRICS
from s2s.share import printable
from s2s.ui.kit import address, cached, chart, file_name, nats, plain, sentence, shortened
from s2s.ui.steps import loss_table
from s2s.ui.steps.request import StepsRequest
from s2s.ui.steps.view_state import STATE

BOX = "reference box"
N_EXAMPLES = 3
WIDE = dict(WIDE_BEAM)["num_beams"]
NEARLY_EQUAL = 1.05  # a ratio of probabilities
MAX_RATIO = 1e6


def show(request: StepsRequest) -> None:
    """The box, the diagnosis, the loss of every token."""
    wanted = _box(request)
    _examples(request.run)
    if not wanted:
        st.info(
            "Type the translation that you want: you see how hard each of its tokens is for the model, and whether"
            " search or model is to blame if it wrote another.",
            icon=":material/rule:",
        )
        return
    reference = cached.reference(request.run, request.text, wanted)
    if reference.unknown:
        words = ", ".join(f"*{plain(shortened(word))}*" for word in reference.unknown[:5])
        st.caption(
            f":material/help: The model cannot write {words}; `<unk>` takes their place, and the numbers are those of"
            " `<unk>`."
        )
    with st.container(border=True):
        _diagnosis(request, reference)
    with st.container(border=True):
        _losses(request, reference)


def _box(request: StepsRequest) -> str:
    """The reference; the address holds it as `tgt`."""
    given = address.read("tgt")
    owner = (request.run.folder.id, request.text)
    if given is not None:
        st.session_state[BOX] = given
    elif st.session_state.get(f"{BOX} of", owner) != owner:  # a reference belongs to its sentence
        st.session_state[BOX] = ""
    st.session_state[f"{BOX} of"] = owner
    typed = st.text_input(
        "Reference",
        key=BOX,
        placeholder="The translation that you want",
        help="The model is made to write it, token by token (teacher forcing).",
        persist_state="session",
        icon=":material/rule:",
    )
    text = " ".join(printable(typed or "").split())[: sentence.MAX_CHARACTERS]
    address.write("tgt", text)
    return text


def _examples(run: Run) -> None:
    """Sentences with their references, from the run's own probes."""
    pairs = cached.probes(run)[:N_EXAMPLES]
    if not pairs:
        return
    with st.container(horizontal=True, gap="xsmall", key="pairs"):
        for number, (source, target) in enumerate(pairs):
            st.button(
                f"{plain(shortened(source))} → {plain(shortened(target))}",
                key=f"pair{number}",
                on_click=_use_example,
                args=(run.folder.id, source, target),
            )


def _use_example(run_id: str, source: str, target: str) -> None:
    st.session_state["src"] = source
    st.session_state[BOX] = target
    st.session_state[f"{BOX} of"] = (run_id, source)


def _diagnosis(request: StepsRequest, reference: Reference) -> None:
    """What failed, in a sentence, and the three log-probabilities."""
    found = request.found
    wide = cached.wide_search(request.run, request.text)
    diagnosis = SearchDiagnosis(
        reference.log_prob, found.log_prob, wide.log_prob, found.text == reference.text
    )
    gain = chrf(wide.text, reference.text) - chrf(found.text, reference.text)
    st.subheader("Search error or model error?", anchor=False)
    st.markdown(" ".join(diagnosis_sentences(diagnosis, gain)))
    st.html(_texts_table(reference, found, wide, request.strategy))
    st.caption(
        f"Log-probabilities are the model's own, `</s>` included. The wide beam keeps {WIDE} prefixes and ranks by"
        " log-probability alone; it does not prove that nothing is more probable. After Stahlberg and Byrne (2019)."
    )


def diagnosis_sentences(diagnosis: SearchDiagnosis, chrf_gain: float) -> list[str]:
    """What happened; `chrf_gain` of the wide beam's text over the written one."""
    return [_blame(diagnosis), *_wide_beam(diagnosis, chrf_gain)]


def _blame(diagnosis: SearchDiagnosis) -> str:
    if diagnosis.kind == "none":
        return "**No error.** The model wrote the reference."
    if diagnosis.kind == "search":
        ratio = times(probability_ratio(diagnosis.reference, diagnosis.written))
        return (
            f"**Search error.** The model prefers the reference, {ratio} as probable as what was written, and the"
            " search did not find it."
        )
    ratio = times(probability_ratio(diagnosis.written, diagnosis.reference))
    return (
        f"**Model error.** The model itself prefers what was written, {ratio} as probable as the reference: a perfect"
        " search would not write the reference either."
    )


def _wide_beam(diagnosis: SearchDiagnosis, chrf_gain: float) -> list[str]:
    sentences = []
    if diagnosis.is_missed:
        ratio = times(probability_ratio(diagnosis.wide, diagnosis.written))
        also = "**A search error, too.** " if diagnosis.kind != "search" else ""
        sentences.append(
            f"{also}A beam of {WIDE} finds a text {ratio} as probable as what was written; it is"
            f" {_closeness(chrf_gain)}."
        )
    if diagnosis.kind != "none" and diagnosis.is_beyond:
        sentences.append(f"Even a beam of {WIDE} does not find the reference.")
    return sentences


def _closeness(chrf_gain: float) -> str:
    if chrf_gain == 0:
        return "as close to the reference"
    return "closer to the reference" if chrf_gain > 0 else "farther from the reference"


def times(ratio: float) -> str:
    """`3.24` -> `3.2 times`; a ratio near 1 is `about`."""
    if ratio < NEARLY_EQUAL:
        return "about"
    if ratio >= MAX_RATIO:
        return "more than a million times"
    return f"{ratio:.1f} times" if ratio < 10 else f"{ratio:,.0f} times"


def chrf(text: str, reference: str) -> float:
    """0 to 100."""
    return METRICS["chrf"].compute([text], [reference]).value


def _texts_table(reference: Reference, found: Decoded, wide: Decoded, strategy: str) -> str:
    """The three texts as an HTML table."""
    texts = [
        ("reference", reference.text, reference.log_prob),
        (f"written ({strategy})", found.text, found.log_prob),
        (f"beam of {WIDE}", wide.text, wide.log_prob),
    ]
    columns = ("whose", "text", "log-probability (nats)", "chrF")
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    body = ""
    for whose, text, log_prob in texts:
        cells = (whose, text, nats(log_prob), f"{chrf(text, reference.text):.0f}")
        body += "<tr>" + "".join(map(_cell, columns, cells)) + "</tr>"
    return f'<div class="samples"><table><tr>{head}</tr>{body}</table></div>'


def _cell(column: str, text: str) -> str:
    return f'<td dir="auto" data-of="{column}">{html.escape(text) or "(nothing)"}</td>'


def _losses(request: StepsRequest, reference: Reference) -> None:
    """The loss of each token, of the reference and of the model's own translation."""
    own = request.found.hypotheses[0]
    run = request.run
    position = first_difference(reference.ids, own.ids)
    st.subheader("Teacher forcing and free decoding", anchor=False)
    title = (
        f"{cached.title(run.folder.id)} · step {run.step:,}\nloss at each position, forced and free"
    )
    forced = _forced_losses(reference)
    free = [
        TokenLoss(token, -log_prob)
        for token, log_prob in zip(own.tokens, own.token_log_probs, strict=True)
    ]
    hardest = max(forced, key=lambda token: token.loss).text
    with st.container(key="losses"):
        chart(
            plots.token_losses(forced, free, position, title=title),
            alt=f"Loss of each token of the reference; the hardest is {hardest}",
            file_name=file_name(title),
        )
    st.caption(plots.PLOTS["token_losses"].caption)
    st.markdown(difference_sentence(reference, own.tokens, position))
    if position is not None and position < len(own.ids):
        st.button(
            "See the candidates there",
            key="there",
            icon=":material/arrow_forward:",
            on_click=_show_candidates,
            args=(position,),
        )
    st.dataframe(
        pd.DataFrame(loss_table.rows(own, reference)),
        hide_index=True,
        alt="Every position of the reference",
        key="places",
    )
    st.download_button(
        "Download data (CSV)",
        partial(loss_table.csv_text, own, reference),
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _show_candidates(position: int) -> None:
    """Open the next-token view at the first difference; before it both texts are the same."""
    STATE.show(view="next", at=str(position + 1), forced="")


def _forced_losses(reference: Reference) -> list[TokenLoss]:
    columns = zip(
        reference.tokens, reference.log_probs, reference.ranks, reference.predicted, strict=True
    )
    return [
        TokenLoss(token, -log_prob, f", rank {rank}; the model would write {predicted}")
        for token, log_prob, rank, predicted in columns
    ]


def difference_sentence(reference: Reference, own: tuple[str, ...], position: int | None) -> str:
    """Where the two texts first differ, and the loss of the reference."""
    total = -reference.log_prob
    loss = f"The loss of the whole reference is {total:.2f} nats, {total / len(reference.ids):.2f} nats per token."
    if position is None:
        return f"The model's own translation is the reference, token by token. {loss}"
    theirs, ours = (
        plain(tokens[position]) if position < len(tokens) else "nothing"
        for tokens in (reference.tokens, own)
    )
    return f"They first differ at position {position + 1}: the reference has *{theirs}*, the model wrote *{ours}*. {loss}"
