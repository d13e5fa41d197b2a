"""Properties of a sentence for a run, such as a search error: whether a sentence has one, and why.

Knows nothing of datasets or screens: what agrees in a sentence is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from s2s.analysis import KINDS, ROUNDING, is_sink, probability_ratio
from s2s.config import UserError, choose
from s2s.decode import (
    BeamConfig,
    ExactResult,
    GenerationConfig,
    Hypothesis,
    maximized_score,
    score_unit,
)
from s2s.files import from_json, to_json
from s2s.runs.decoded import Decoded, DecodedHypothesis, penalty_decides, quoted
from s2s.runs.run import Run, RunKey
from s2s.words import listed

SINK_SHARE = 0.5  # of a head's weight, over all rows, on one token
MAX_RATIO = 1e6  # of probabilities, as a number
MIN_ROWS = 4  # with fewer, one token has much of the weight anyway
MAX_QUOTED = 3  # unknown words
NO_SETTINGS: Mapping[str, Any] = MappingProxyType({})


class Agreement(NamedTuple):
    """Word indices, from 0, of a subject and of a verb that agrees with it."""

    subject: int
    verb: int


# The agreement across a clause in a sentence, None where there is none; raises UserError where that is not known.
FindAgreement = Callable[[str], tuple[int, int] | None]


@dataclass(frozen=True)
class Decoding:
    """A strategy with its settings that are not at their defaults; `run` is None for the run that is asked about."""

    strategy: str
    settings: Mapping[str, Any] = field(default_factory=lambda: NO_SETTINGS)
    name: str = ""  # in sentences; by default the strategy and its settings
    run: Run | None = None

    def __str__(self) -> str:
        changed = ", ".join(f"{name} {value}" for name, value in self.settings.items())
        return self.name or (f"{self.strategy} ({changed})" if changed else self.strategy)


GREEDY_AND_BEAM = (Decoding("greedy"), Decoding("beam"))


@dataclass(frozen=True)
class PropertySettings:
    """What a property depends on, beside the run and the sentence."""

    decodings: tuple[Decoding, ...] = GREEDY_AND_BEAM
    agreement: FindAgreement | None = None  # None where no sentence's agreement is known

    def to_json(self) -> dict[str, Any]:
        """The settings as JSON for a search, all but `agreement`; runs are named by their keys."""
        rows = [
            {**to_json(replace(one, run=None)), "run": to_json(one.run.key) if one.run else None}
            for one in self.decodings
        ]
        return {"decodings": rows}

    @staticmethod
    def from_json(content: Mapping[str, Any], opened: Callable[[RunKey], Run]) -> PropertySettings:
        """The settings of JSON that `to_json` made; `opened` opens the runs that it names."""
        rows = [
            Decoding(**{**row, "run": row["run"] and opened(from_json(RunKey, row["run"]))})
            for row in content["decodings"]
        ]
        return PropertySettings(tuple(rows))


class Finding(NamedTuple):
    """Whether a sentence has a property, None where that cannot be said; and why, with texts in backticks."""

    holds: bool | None
    why: str
    head: tuple[str, int, int] | None = None  # the kind, layer and head, from 0, that show it


Judge = Callable[[Run, Sequence[str], PropertySettings], list[Finding]]


@dataclass(frozen=True)
class Property:
    """A property of sentences: `judge` says of each sentence whether it has it."""

    judge: Judge
    label: str
    summary: str
    source: str
    if_none: str  # what to do where no sentence has it
    decodes: bool = True  # whether judging takes a search


def findings(
    run: Run, name: str, sentences: Sequence[str], settings: PropertySettings
) -> list[Finding]:
    """A finding per sentence, in order; of one that is too long for the model nothing can be said.

    Raises UserError for an unknown property or setting.
    """
    judge = choose("property of a sentence", name, PROPERTIES).judge
    unsuitable = {sentence: _why_not(run, sentence) for sentence in sentences}
    suitable = [sentence for sentence in sentences if not unsuitable[sentence]]
    judged = iter(judge(run, suitable, settings) if suitable else ())
    return [Finding(None, why) if (why := unsuitable[each]) else next(judged) for each in sentences]


def _why_not(run: Run, sentence: str) -> str:
    if not sentence.strip():
        return "There is no sentence yet; type one."
    try:
        run.check_lengths([sentence])
    except UserError as error:
        return str(error)
    return ""


def _strategies_differ(
    run: Run, sentences: Sequence[str], settings: PropertySettings
) -> list[Finding]:
    names = [str(decoding) for decoding in settings.decodings]
    columns = [_decoded(run, sentences, decoding) for decoding in settings.decodings]
    return [_difference(names, [one.text for one in row]) for row in zip(*columns, strict=True)]


def _difference(names: Sequence[str], texts: Sequence[str]) -> Finding:
    if len(set(texts)) == 1:
        return Finding(False, f"{listed(names)} write the same: {quoted(texts[0])}.")
    other = next(number for number, text in enumerate(texts) if text != texts[0])
    written = (f"{names[number]} writes {quoted(texts[number])}" for number in (0, other))
    return Finding(True, f"{', '.join(written)}.")


def _search_error(run: Run, sentences: Sequence[str], settings: PropertySettings) -> list[Finding]:
    columns = [_compared_with_exact(run, sentences, decoding) for decoding in settings.decodings]
    return [next((one for one in row if one.holds), row[0]) for row in zip(*columns, strict=True)]


def _compared_with_exact(run: Run, sentences: Sequence[str], decoding: Decoding) -> list[Finding]:
    own = decoding.run or run
    if decoding.settings.get("force_words"):
        why = "Exact search knows no forced words; empty `force_words` to search for search errors."
        return [Finding(None, why)] * len(sentences)
    written = _decoded(run, sentences, decoding)
    floors = [one.log_prob + ROUNDING for one in written]
    better = own.more_probable(sentences, floors, decoding.strategy, **decoding.settings)
    config = own.configured(decoding.strategy, decoding.settings)[1]
    return [
        _search_diagnosis(own, str(decoding), config, one, found)
        for one, found in zip(written, better, strict=True)
    ]


def _search_diagnosis(
    run: Run, name: str, config: GenerationConfig, written: Decoded, found: ExactResult
) -> Finding:
    text = quoted(written.text)
    if found.best is None:
        is_finished = written.hypotheses[0].ids[-1] == run.recipe.model.ids.eos
        return _no_better(f"{text} ({name})", is_finished=is_finished, is_exact=found.is_exact)
    search = "Exact search" if found.is_exact else "A wide search"
    better = quoted(run.tgt_tokenizer.decode(found.best.ids))
    ratio = probability_ratio(found.best.log_prob, written.log_prob)
    times = f"{ratio:,.2f} times" if ratio < MAX_RATIO else "more than a million times"
    values = f"{found.best.log_prob:.2f} nats against {written.log_prob:.2f}".replace("-", "−")
    own_score = _by_own_score(config, found.best, written.hypotheses[0])
    return Finding(
        True,
        f"{name} writes {text}. {search} finds {better}, {times} as probable ({values}).{own_score}",
    )


def _by_own_score(config: GenerationConfig, better: Hypothesis, written: DecodedHypothesis) -> str:
    score = maximized_score(config)
    unit = score_unit(config)
    if score is None or unit == "nats":
        return ""
    is_better = score(better.log_prob, len(better.ids)) > score(written.log_prob, len(written.ids))
    if is_better:
        return f" By the score that the strategy ranks by ({unit}) it is better, too."
    return (
        f" By the score that the strategy ranks by ({unit}) it is worse: `length_penalty` decides here;"
        " at 0 the probability does."
    )


def _no_better(text: str, *, is_finished: bool, is_exact: bool) -> Finding:
    if not is_finished:
        return Finding(None, f"{text} was truncated before `</s>`; raise `max_new_tokens`.")
    if is_exact:
        proven = f"No search error: exact search shows that no text is more probable than {text}."
        return Finding(False, proven)
    return Finding(
        None, f"A wide search finds no text more probable than {text}; an exact one takes too long."
    )


def _length_penalty_decides(
    run: Run, sentences: Sequence[str], settings: PropertySettings
) -> list[Finding]:
    decoding, config = next(
        (one, config)
        for one in (*settings.decodings, Decoding("beam"))
        if isinstance(
            config := (one.run or run).configured(one.strategy, one.settings)[1], BeamConfig
        )
    )
    written = _decoded(run, sentences, decoding)
    return [Finding(*penalty_decides(config, one)) for one in written]


def _unknown_word(run: Run, sentences: Sequence[str], settings: PropertySettings) -> list[Finding]:
    return [_unknown(run.src_tokenizer.unknown_parts(sentence)) for sentence in sentences]


def _unknown(words: Sequence[str]) -> Finding:
    if not words:
        return Finding(False, "The model knows every word of the sentence.")
    named = listed([quoted(word) for word in words[:MAX_QUOTED]])
    more = f" and {len(words) - MAX_QUOTED} more" if len(words) > MAX_QUOTED else ""
    are = "is" if len(words) == 1 else "are"
    return Finding(
        True, f"{named}{more} {are} not in the vocabulary; the model reads `<unk>` instead."
    )


def _agreement_across_clause(
    run: Run, sentences: Sequence[str], settings: PropertySettings
) -> list[Finding]:
    return [_agreement(sentence, settings.agreement) for sentence in sentences]


def _agreement(sentence: str, find: FindAgreement | None) -> Finding:
    if find is None:
        return Finding(None, "Which words of this sentence agree is not known here.")
    try:
        found = find(sentence)
    except UserError as error:
        return Finding(None, str(error))
    if found is None:
        return Finding(False, "No clause stands between a subject and its verb.")
    subject, verb = Agreement(*found)
    words = sentence.split()
    clause = quoted(" ".join(words[subject + 1 : verb]))
    why = f"{quoted(words[verb])} agrees with {quoted(words[subject])}, across {clause}."
    return Finding(True, why)


def _sink(run: Run, sentences: Sequence[str], settings: PropertySettings) -> list[Finding]:
    decoded = _watched(run, _decoded(run, sentences, settings.decodings[0]))
    return [_strongest_sink(run, one) for one in decoded]


def _watched(run: Run, ones: Sequence[Decoded]) -> Iterator[Decoded]:
    for one in ones:
        if run.on_step:
            run.on_step()
        yield one


def _strongest_sink(run: Run, one: Decoded) -> Finding:
    try:
        attention = run.attention(one.source, one.hypotheses[0].ids)
    except UserError as error:  # longer than the positions that the model has learned
        return Finding(None, str(error))
    best = (
        0.0,
        Finding(False, f"The sentence is too short: fewer than {MIN_ROWS} rows of attention."),
    )
    for kind in KINDS:
        view = attention.view(kind)
        weights = (
            view.weights[:, :, 1:] if kind == "decoder" else view.weights
        )  # row 0 sees `<s>` alone
        keys = [number for number, token in enumerate(view.keys) if is_sink(token)]
        if not keys or weights.shape[2] < MIN_ROWS:
            continue
        shares = weights.mean(2)[..., keys]  # (layers, heads, keys)
        layer, head, at = np.unravel_index(int(shares.argmax()), shares.shape)
        share = float(shares[layer, head, at])
        if share > best[0]:
            token = quoted(view.keys[keys[at]])
            best = share, _sink_finding(share, token, (kind, int(layer), int(head)))
    return best[1]


def _sink_finding(share: float, token: str, where: tuple[str, int, int]) -> Finding:
    kind, layer, head = where
    on = f"ead {head + 1} of layer {layer + 1} ({kind}) gives {share:.0%} of its attention to {token}"
    least = f"{SINK_SHARE:.0%} over all rows makes a sink"
    if share >= SINK_SHARE:
        return Finding(True, f"H{on} ({least}).", where)
    return Finding(False, f"No head has a sink: h{on}, the most of all, and at least {least}.")


def _decoded(run: Run, sentences: Sequence[str], decoding: Decoding) -> list[Decoded]:
    return (decoding.run or run).translate(sentences, decoding.strategy, **decoding.settings)


PROPERTIES: Mapping[str, Property] = MappingProxyType(
    {
        "strategies_differ": Property(
            _strategies_differ,
            "strategies differ",
            "Two strategies, or two columns, write different texts.",
            "Exact comparison of the texts",
            "Choose strategies that differ more, such as greedy and sample.",
        ),
        "search_error": Property(
            _search_error,
            "search error",
            "The model finds another text more probable than the one that the strategy writes.",
            "Stahlberg & Byrne 2019, section 3",
            "A weaker strategy, such as greedy, makes more of them; longer sentences, too.",
        ),
        "length_penalty_decides": Property(
            _length_penalty_decides,
            "length penalty decides",
            "Another length penalty would put another hypothesis of the search first.",
            "Wu et al. 2016, section 7",
            "Longer sentences, and more beams, have more hypotheses of different lengths.",
        ),
        "unknown_word": Property(
            _unknown_word,
            "unknown word",
            "A word is not in the vocabulary of the model.",
            "The run's tokenizer",
            "Type a sentence with a word of your own to see one.",
            decodes=False,
        ),
        "agreement_across_clause": Property(
            _agreement_across_clause,
            "agreement across a clause",
            "A relative clause stands between a subject and the verb that agrees with it.",
            "The built-in grammar",
            "It is known for sentences of the built-in English grammar only.",
            decodes=False,
        ),
        "sink": Property(
            _sink,
            "attention sink",
            f"A head gives at least {SINK_SHARE:.0%} of its attention, over all rows, to `<s>`, `</s>` or punctuation.",
            "Clark et al. 2019, section 3.2",
            "Choose another run or checkpoint.",
        ),
    }
)
