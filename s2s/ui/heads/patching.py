"""The view Patching: which states and heads carry the difference between two sources."""

from __future__ import annotations

from s2s.config import UserError
from s2s.links.share import printable
from s2s.questions import Patching, differing
from s2s.ui.heads.page import HeadsPage
from s2s.ui.heads.sentence_controls import HeadsSentence, may_ask, read_sentence
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import cached, forms, show_all, unique_names
from s2s.ui.kit.sentence import MAX_CHARACTERS, other_source

DEFAULT = Patching()


def show_view(page: HeadsPage) -> None:
    """Draw two sources, what is patched, the picture and its numbers."""
    shown = STATE.shown("patch")
    is_changed = {str(shown): shown != DEFAULT.patch}
    chosen = read_sentence(page, "what carries the difference between two sentences", is_changed)
    if chosen is None:
        return
    with chosen.settings:
        STATE.draw("patch")
    try:
        _show(chosen)
    except UserError as wrong:
        forms.show_error(wrong)


def _show(chosen: HeadsSentence) -> None:
    second = _second(chosen)
    STATE.belongs_to("contrast", chosen.run.key, chosen.text, chosen.forced.target, second)
    _metric(chosen, second)
    question = STATE.question(Patching, **{**chosen.asked, "second": second})
    if may_ask(chosen.run, [question.probe(cached.SCREEN)], "patches"):
        show_all(question, cached.SCREEN.answer(question), cached.model_name(chosen.run))


def _second(chosen: HeadsSentence) -> str:
    default = differing(chosen.run, chosen.text)
    typed = STATE.draw(
        "second",
        placeholder=default,
        icon=":material/compare_arrows:",
        label_visibility="collapsed",
    )
    second = " ".join(printable(typed).split())[:MAX_CHARACTERS]
    other_source(chosen.run, chosen.facts, second or default, "In source B")
    return second or default


def _metric(chosen: HeadsSentence, second: str) -> None:
    question = Patching(**chosen.asked, second=second)
    first = cached.SCREEN.answer(question.sources)
    with chosen.settings:
        names = {str(at): f"{at} · {name}" for at, name in enumerate(chosen.forced.tgt_tokens, 1)}
        at = STATE.draw("at", names, default=str(first.position + 1))
        STATE.belongs_to(
            "position", chosen.run.key, chosen.text, chosen.forced.target, second, int(at)
        )
        found = cached.SCREEN.answer(Patching(**chosen.asked, second=second, at=at).sources)
        options = unique_names({str(id): name for id, name in found.candidates})
        STATE.draw("token_a", options, default=str(found.token_a))
        STATE.draw("token_b", options, default=str(found.token_b))
