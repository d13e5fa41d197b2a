"""A translation against a reference: where they first differ, which tokens are hard, and what is to blame."""

from __future__ import annotations

import html
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from s2s import plots
from s2s.analysis import ROUNDING, SearchDiagnosis, probability_ratio
from s2s.config import keys
from s2s.decode import (
    BeamConfig,
    GenerationConfig,
    forbidding_setting,
    format_number,
    maximized_score,
    score_unit,
)
from s2s.plots import TokenLoss
from s2s.runs import WIDE_BEAM, Reference, Run, RunKey, first_difference
from s2s.scores import METRICS, comparable
from s2s.ui.kit import cached, chart, file_name, nats, plain, sentence, shortened, target_owner
from s2s.ui.steps import loss_table
from s2s.ui.steps.request import REFERENCE, REFERENCE_OF, StepsRequest
from s2s.ui.steps.view_state import STATE

N_EXAMPLES = 3
WIDE = dict(WIDE_BEAM)["num_beams"]
NEARLY_EQUAL = 1.05  # a ratio of probabilities
MAX_RATIO = 1e6
NO_LIMITS = (
    "num_return_sequences",
    "seed",
    "precision",
    "repetition_penalty",
)  # settings that forbid no output
NATS = "nats"  # the unit of a score that is the log-probability itself


def show(request: StepsRequest) -> None:
    """The box, the diagnosis, the loss of every token."""
    _box()
    _examples(request.run)
    if not request.reference:
        st.info(
            "Type the translation that you want: you see how hard each of its tokens is for the model, and whether"
            " search or model is to blame if it wrote another.",
            icon=":material/rule:",
        )
        return
    reference = cached.reference(request.run, request.text, request.reference)
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


def _box() -> None:
    """The reference; `request` reads what is typed."""
    st.text_input(
        "Reference",
        key=REFERENCE,
        placeholder="The translation that you want",
        help="The model is made to write it, token by token (teacher forcing).",
        persist_state="session",
        icon=":material/rule:",
    )


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
                args=(run.key, source, target),
            )


def _use_example(key: RunKey, source: str, target: str) -> None:
    st.session_state["src"] = source
    st.session_state[REFERENCE] = target
    st.session_state[REFERENCE_OF] = target_owner(key, sentence.text_in_box())


class JudgedText(NamedTuple):
    """A text, its log-probability in nats, and the score that judges it."""

    whose: str
    text: str
    log_prob: float
    score: float


def _diagnosis(request: StepsRequest, reference: Reference) -> None:
    """What failed, by the score that the search maximized, and the three texts with it and with the log-probability."""
    found = request.found
    config = request.run.configured(request.strategy, request.settings)[1]
    st.subheader("Search error or model error?", anchor=False)
    is_ended = found.hypotheses[0].ids[-1] == request.run.recipe.model.ids.eos
    forbidding = _forbidding(request, config, reference)
    if why := _why_no_verdict(config, forbidding, is_ended=is_ended):
        st.info(why, icon=":material/help:")
        return
    score = maximized_score(config) or _log_probability
    wide = cached.wide_search(request.run, request.text, wide_settings(config))
    texts = [
        JudgedText(whose, one.text, one.log_prob, score(one.log_prob, len(one.tokens)))
        for whose, one in (
            ("reference", reference),
            (f"written ({request.strategy})", found),
            (f"beam of {WIDE}", wide),
        )
    ]
    is_right = comparable(found.text) == comparable(reference.text)
    forced, written, widest = (one.score for one in texts)
    rounding = score(ROUNDING, max(len(one.tokens) for one in (reference, found, wide)))
    by_score = SearchDiagnosis(forced, written, widest, is_right, rounding)
    by_log_prob = SearchDiagnosis(reference.log_prob, found.log_prob, wide.log_prob, is_right)
    unit = score_unit(config) if maximized_score(config) else NATS
    gain = chrf(wide.text, reference.text) - chrf(found.text, reference.text)
    with st.container(key="steps verdict"):  # a lesson hides it where it asks for this
        st.markdown(" ".join(diagnosis_sentences(by_score, gain, unit=unit)))
        if unit != NATS and by_log_prob.kind != by_score.kind:
            st.markdown(disagreement(by_log_prob))
    st.html(_texts_table(texts, unit))
    st.caption(f"{judged_by(config, request.strategy)} {ABOUT}")


ABOUT = (
    f"Log-probabilities are the model's own, `</s>` included. The wide beam keeps {WIDE} prefixes; it does not prove"
    " that nothing scores higher. After Stahlberg and Byrne (2019)."
)


def _forbidding(request: StepsRequest, config: GenerationConfig, reference: Reference) -> str:
    """The setting under which the reference cannot be written; empty where it can."""
    run = request.run
    special = run.recipe.model.ids
    return forbidding_setting(
        config,
        reference.ids,
        run.tgt_tokenizer,
        source=special.source(run.src_tokenizer.encode(request.text)),
        start_id=special.start,
        first=() if special.forced_first is None else (special.forced_first,),
    )


def _why_no_verdict(config: GenerationConfig, forbidding: str, *, is_ended: bool) -> str:
    """Where neither the search nor the model is to blame; empty otherwise."""
    if getattr(config, "force_words", ""):
        return "Forced words decide here what is written: neither the search nor the model is to blame."
    if forbidding:
        return f"`{forbidding}` does not allow this reference: neither the search nor the model is to blame."
    if not is_ended:
        return "The output was truncated before `</s>`, so it cannot be judged; raise Maximum new tokens."
    return ""


def _log_probability(log_prob: float, length: int) -> float:
    return log_prob


def wide_settings(config: GenerationConfig) -> dict[str, Any]:
    """What limits the search, and its length penalty: the wide beam may write the same, and maximizes the same."""
    limits = [name for name in keys(GenerationConfig) if name not in NO_LIMITS]
    penalty = []
    if isinstance(config, BeamConfig) and maximized_score(config):
        penalty = ["length_penalty", "length_formula"]
    shared = {name: getattr(config, name) for name in (*limits, *penalty)}
    return {
        **shared,
        "repetition_penalty": 1.0,
    }  # a score of its own, whatever the model starts with


def judged_by(config: GenerationConfig, strategy: str) -> str:
    """By which score the verdict is reached, and why."""
    unit = score_unit(config)
    if unit == NATS:
        does = "maximizes" if maximized_score(config) else "ranks by"
        return f"Judged by log-probability, which {strategy} {does}."
    if not maximized_score(config):
        known = f"what {strategy} ranks by ({unit}) is not known of a text that it did not write"
        return f"Judged by log-probability: {known}."
    return f"Judged by the score that {strategy} maximizes: {unit}."


def disagreement(by_log_prob: SearchDiagnosis) -> str:
    """The other verdict, where log-probability alone gives one."""
    kind = f"{by_log_prob.kind} error"
    return (
        f"**By log-probability alone it is a {kind}**: the reference has"
        f" {nats(by_log_prob.reference)} nats and what was"
        f" written {nats(by_log_prob.written)}. The length penalty makes the difference."
    )


def diagnosis_sentences(
    diagnosis: SearchDiagnosis, chrf_gain: float, *, unit: str = NATS
) -> list[str]:
    """What happened; `chrf_gain` of the wide beam's text over the written one."""
    return [_blame(diagnosis, unit), *_wide_beam(diagnosis, chrf_gain, unit)]


def _blame(diagnosis: SearchDiagnosis, unit: str) -> str:
    if diagnosis.kind == "none":
        return "**No error.** The model wrote the reference."
    reference = diagnosis.reference
    written = diagnosis.written
    if diagnosis.kind == "search":
        return (
            f"**Search error.** The model prefers the reference, {_against(reference, written, unit)} what was written,"
            " and the search did not find it."
        )
    return (
        f"**Model error.** The model itself prefers what was written, {_against(written, reference, unit)} the"
        " reference: a perfect search would not write the reference either."
    )


def _against(value: float, other: float, unit: str) -> str:
    """How much better the first is: a ratio of probabilities, or two scores."""
    if unit == NATS:
        return f"{times(probability_ratio(value, other))} as probable as"
    return f"whose score is {format_number(value)} against {format_number(other)} of"


def _wide_beam(diagnosis: SearchDiagnosis, chrf_gain: float, unit: str) -> list[str]:
    sentences = []
    if diagnosis.is_missed:
        better = _against(diagnosis.wide, diagnosis.written, unit)
        also = "**A search error, too.** " if diagnosis.kind != "search" else ""
        sentences.append(
            f"{also}A beam of {WIDE} finds a text {better} what was written; it is"
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


def _texts_table(texts: Sequence[JudgedText], unit: str) -> str:
    """The three texts, the reference first, as an HTML table."""
    reference = texts[0].text
    columns = ["whose", "text", "log-probability (nats)", "chrF"]
    if unit != NATS:
        columns.insert(2, f"score ({unit})")
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    body = ""
    for one in texts:
        cells = [one.whose, one.text, nats(one.log_prob), f"{chrf(one.text, reference):.0f}"]
        if unit != NATS:
            cells.insert(2, f"{one.score:.4f}".replace("-", "−"))
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
    title = f"{cached.model_name(run)}\nloss at each position, forced and free"
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
        column_config=_loss_columns(),
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


def _loss_columns() -> dict[str, Any]:
    loss = st.column_config.NumberColumn(format="%.4f")
    share = st.column_config.NumberColumn(format="percent")
    return {"loss (nats)": loss, "its own loss (nats)": loss, "probability": share}


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
    loss = f"The loss of the whole reference is {total:.2f} nats, {-reference.per_token:.2f} nats per token."
    if position is None:
        return f"The model's own translation is the reference, token by token. {loss}"
    theirs, ours = (
        plain(tokens[position]) if position < len(tokens) else "nothing"
        for tokens in (reference.tokens, own)
    )
    return (
        f"They first differ at position {position + 1}: the reference has *{theirs}*, the"
        f" model wrote *{ours}*. {loss}"
    )
