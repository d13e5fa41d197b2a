"""Find one: a button that searches a run's sentences for one with a property, opens it, and says why it fits.

The order is random, from a seed that the link keeps, so that "Another one" continues where the last search stopped.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import streamlit as st

from s2s.config import UserError
from s2s.data import gold_agreement
from s2s.questions import Timed, packed
from s2s.runs import Run, properties
from s2s.runs.decoder import PROPERTY, DecodeRequest
from s2s.runs.properties import PROPERTIES, Decoding, Finding, PropertySettings
from s2s.ui.kit import cached, dataset_sentences, forms
from s2s.ui.kit.sentence import text_in_box
from s2s.ui.kit.state import ViewState
from s2s.ui.kit.text import as_markdown, plain
from s2s.ui.streamlit_parts import DeltaGenerator
from s2s.words import duration

MOST = 5_000  # sentences of a dataset that can be searched
BUDGET = 500  # sentences of one search ...
SECONDS = 10.0  # ... and its time, from the first batch that is judged
FIRST_BATCH = 16  # sentences that are judged together; then twice as many ...
LAST_BATCH = 64  # ... up to these: faster, but the first ones are seen later
ROWS = 320  # hypotheses of a batch
SEEDS = 1000
MENU = "find one"
WANTED = "find wanted"  # in the session: where the search begins that is to run now
WANTED_FROM = "find wanted from"  # the run and the sentence that were shown when it was asked for
FOUND = "find found"  # the sentence to show when the page is next drawn
FOUND_OF = "find of"  # a value of `find` in the link, and the sentence that it belongs to
SUMMARY = "find summary"  # what the last search did, and where the next one would begin
WARM_UP = 1.0  # seconds that starting counts as, at most


class SearchPosition(NamedTuple):
    """Where a search for a sentence stands: property, random seed and position; written `search_error.7.13`."""

    name: str
    seed: int
    number: int

    def __str__(self) -> str:
        return f"{self.name}.{self.seed}.{self.number}"

    @classmethod
    def read(cls, text: str) -> SearchPosition | None:
        """The position that a link's text names; None if it names none."""
        name, _, rest = text.partition(".")
        seed, _, number = rest.partition(".")
        if name not in PROPERTIES or not (_is_small(seed) and _is_small(number)):
            return None
        return cls(name, int(seed), int(number))


def is_position(text: str) -> bool:
    """Whether a link's text says which sentence was found."""
    return SearchPosition.read(text) is not None


def _is_small(text: str) -> bool:
    return text.isdecimal() and len(text) < 7


class Searched(NamedTuple):
    """The state of a search: how many sentences were judged, and the first that fits, with the reason."""

    n: int
    sentence: str = ""
    finding: Finding | None = None


def search(
    run: Run, name: str, sentences: Sequence[str], settings: PropertySettings
) -> Iterator[Searched]:
    """Yields the progress of a search; the last item has the sentence that fits, if there is one."""
    widths = [_width(run, decoding) for decoding in settings.decodings]
    most = max(1, min(LAST_BATCH, ROWS // max(widths)))
    size = min(FIRST_BATCH, most) if PROPERTIES[name].decodes else MOST
    n = 0
    while batch := sentences[n : n + size]:
        judged = _judged(run, name, batch, settings)
        while (found := next(judged)) is None:
            yield Searched(n)  # the page may stop here
        judged.close()
        for number, (sentence, finding) in enumerate(zip(batch, found, strict=True), 1):
            if finding.holds:
                yield Searched(n + number, sentence, finding)
                return
        n += len(batch)
        size = min(2 * size, most)
        yield Searched(n)


def _judged(
    run: Run, name: str, sentences: Sequence[str], settings: PropertySettings
) -> Generator[list[Finding] | None, None, None]:
    if PROPERTIES[name].decodes:
        yield from cached.awaited(run, _request(run, name, sentences, settings))
    else:
        yield properties.findings(run, name, sentences, settings)


def _finding(run: Run, name: str, text: str, settings: PropertySettings) -> Finding:
    """What a property finds in a sentence. Raises UserError for a wrong setting, PendingError until it is known."""
    if not PROPERTIES[name].decodes:
        return properties.findings(run, name, [text], settings)[0]
    request = _request(run, name, [text], settings)
    found: list[Finding] = cached.here_or_beside(run, request, _computed).value
    return found[0]


@cached.by_sentence(128)
def _computed(request: DecodeRequest, _run: Run) -> Timed:
    return cached.computed(request, _run)


def _request(
    run: Run, name: str, sentences: Sequence[str], settings: PropertySettings
) -> DecodeRequest:
    folder, step, languages = run.key
    given = packed(settings.to_json())
    return DecodeRequest(PROPERTY, folder, step, (*sentences,), name, given, languages=languages)


def _width(run: Run, decoding: Decoding) -> int:
    own = decoding.run or run
    return own.configured(decoding.strategy, decoding.settings)[1].width


def in_order(sentences: Sequence[str], seed: int) -> list[str]:
    return random.Random(seed).sample([*sentences], len(sentences))


class Summary(NamedTuple):
    """The sentence at the end of a search, and where another search continues."""

    text: str
    continues: SearchPosition | None  # None where nothing is left


@dataclass(frozen=True)
class FindOne:
    """The control Find one of a page: `state` has a field `find`, `names` are the properties that fit the page.

    `show_head` selects the kind, layer and head that show what was found; `prepare` is called before a search.
    """

    state: ViewState[Any]
    names: tuple[str, ...]
    show_head: Callable[[str, int, int], None] | None = None
    prepare: Callable[[str], None] | None = None

    def take_found(self) -> None:
        """Puts the sentence of a search into the box. Call it before the box is drawn.

        A search ends where another run or sentence is shown than when it began.
        """
        if st.session_state.get(self._key(WANTED_FROM)) != _shown():
            st.session_state.pop(self._key(WANTED), None)
        if found := st.session_state.pop(self._key(FOUND), None):
            at, sentence, finding = found
            st.session_state["src"] = sentence
            st.session_state[self._key(FOUND_OF)] = (str(at), text_in_box())
            self.state.remember(find=str(at))
            if self.show_head and finding.head:
                self.show_head(*finding.head)

    def button(self) -> None:
        """Draw the menu of properties."""
        st.menu_button(
            "Find one",
            self.names,
            key=self._key(MENU),
            icon=":material/search:",
            format_func=_label,
            on_click=self._start,
            help="Search the run's own sentences, in random order, for one with a property: "
            + "; ".join(_label(name).lower() for name in self.names)
            + ".",
        )

    def show(
        self, run: Run, text: str, *decodings: Decoding, compared_with: Decoding | None = None
    ) -> None:
        """Draw the running search, or why the sentence fits and a button that searches on.

        Strategies differ among the page's `decodings`, and from `compared_with`, which the page does not show.
        """

        def settings(name: str) -> PropertySettings:
            other = (compared_with,) if compared_with and name == "strategies_differ" else ()
            return PropertySettings((*decodings, *other), gold_agreement)

        if wanted := st.session_state.get(self._key(WANTED)):
            self._search(run, wanted, settings(wanted.name))
        elif summary := st.session_state.pop(self._key(SUMMARY), None):
            with st.container(horizontal=True, vertical_alignment="center", key="find one summary"):
                st.caption(summary.text, width="content")
                if summary.continues:
                    self._another(summary.continues, "Search on")
        elif at := self._position_of(text):
            self._why(run, text, at, settings(at.name))

    def _key(self, name: str) -> str:
        return f"{self.state.page} {name}"

    def _position_of(self, text: str) -> SearchPosition | None:
        find = str(self.state.now.find)
        if not find:
            st.session_state.pop(self._key(FOUND_OF), None)
            return None
        owner, sentence = st.session_state.get(self._key(FOUND_OF), ("", ""))
        if owner != find:  # from a link, or after Back
            st.session_state[self._key(FOUND_OF)] = (find, text)
        elif sentence != text:
            self.state.remember(find="")
            return None
        return SearchPosition.read(find)

    def _why(self, run: Run, text: str, at: SearchPosition, settings: PropertySettings) -> None:
        with st.container(horizontal=True, vertical_alignment="center", key="find one why"):
            try:
                finding = _finding(run, at.name, text, settings)
            except UserError as error:
                forms.show_error(error)
                return
            except cached.PendingError as pending:
                pending.draw("find one")
                return
            icon = ":material/check:" if finding.holds else ":material/close:"
            st.markdown(
                f"{icon} **{_label(at.name)}.** {as_markdown(_sentence(finding.why))}",
                width="stretch",
            )
            self._another(at._replace(number=at.number + 1), "Another one")

    def _another(self, at: SearchPosition, label: str) -> None:
        st.button(
            label,
            key=self._key("find another"),
            icon=":material/search:",
            on_click=self._begin,
            args=(at,),
        )

    def _start(self) -> None:
        name = st.session_state[self._key(MENU)]
        before = SearchPosition.read(str(self.state.now.find))
        if before and before.name == name:
            self._begin(before._replace(number=before.number + 1))
        else:
            self._begin(SearchPosition(name, before.seed if before else random.randrange(SEEDS), 0))

    def _begin(self, at: SearchPosition) -> None:
        if self.prepare:
            self.prepare(at.name)
        st.session_state[self._key(WANTED)] = at
        st.session_state[self._key(WANTED_FROM)] = _shown()

    def _stop(self) -> None:
        at = st.session_state.pop(self._key(WANTED))
        st.session_state[self._key(SUMMARY)] = Summary(f"{_label(at.name)}: stopped.", at)

    def _search(self, run: Run, at: SearchPosition, settings: PropertySettings) -> None:
        dataset = dataset_sentences.of(run, MOST)
        first = at.number if at.number < len(dataset.texts) else 0
        most = BUDGET if PROPERTIES[at.name].decodes else MOST
        waiting = in_order(dataset.texts, at.seed)[first : first + most]
        bar = self._progress_bar()
        done = Searched(0)
        seconds = 0.0
        try:
            for done, seconds in within(SECONDS, search(run, at.name, waiting, settings)):
                at = at._replace(number=first + done.n)
                st.session_state[self._key(WANTED)] = at
                bar.progress(
                    done.n / len(waiting), _progress(at.name, done.n, len(waiting), seconds)
                )
            if done.finding:
                found = at._replace(number=at.number - 1), done.sentence, done.finding
                st.session_state[self._key(FOUND)] = found
            else:
                said = _none(at, done.n, dataset, seconds)
                at_end = at.number >= len(dataset.texts)
                st.session_state[self._key(SUMMARY)] = Summary(said, None if at_end else at)
        except UserError as error:  # longer than decoding may take, or a setting that is wrong
            st.session_state[self._key(SUMMARY)] = Summary(plain(str(error)), None)
        del st.session_state[self._key(WANTED)]
        st.rerun()

    def _progress_bar(self) -> DeltaGenerator:
        with st.container(horizontal=True, vertical_alignment="center", key="find one search"):
            bar = st.progress(0.0, "Reading the sentences …")
            st.button(
                "Stop", icon=":material/stop:", key=self._key("find stop"), on_click=self._stop
            )
        return bar


def _shown() -> tuple[str, str]:
    run, src = (str(st.session_state.get(key) or "") for key in ("run", "src"))
    return run, src


def within(seconds: float, steps: Iterator[Searched]) -> Iterator[tuple[Searched, float]]:
    """The steps of a search, each with the seconds since it began, until these exceed the limit."""
    began = time.monotonic()
    for done in steps:
        if not done.n:
            began = max(began, time.monotonic() - WARM_UP)
        elapsed = time.monotonic() - began
        yield done, elapsed
        if elapsed > seconds:
            return


def _progress(name: str, n: int, n_all: int, seconds: float) -> str:
    doing = f"{n:,} of {n_all:,} sentences, {seconds:.0f} s" if n else "starting to decode …"
    return f"{_label(name)}: {doing}"


def _none(
    at: SearchPosition, n: int, dataset: dataset_sentences.DatasetSentences, seconds: float
) -> str:
    problem = f" {plain(dataset.problem)}" if dataset.problem else ""
    if not n:
        return f"There is no sentence to search.{problem}"
    row = PROPERTIES[at.name]
    of = f" of {len(dataset.texts):,}" if n < len(dataset.texts) else ""
    sentences = "sentence" if len(dataset.texts) == 1 else "sentences"
    searched = f"{_label(at.name)}: none in {n:,}{of} {sentences}, {duration(seconds)}."
    return f"{searched} {row.if_none}{problem}"


def _label(name: str) -> str:
    return _sentence(PROPERTIES[name].label)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
