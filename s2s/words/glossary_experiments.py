"""Words of experiments inside a model."""

from __future__ import annotations

from s2s.words.term import Term

EXPERIMENTS: tuple[Term, ...] = (
    Term(
        "agreement",
        plain="Words that must match in number or gender, such as a subject and its verb.",
        expert="Generated datasets have a split in which other words stand between the two.",
        source="Linzen et al. 2016",
        page="evaluate",
    ),
    Term(
        "free-running training",
        plain="Training in which the decoder reads the words that it has written itself, right or wrong.",
        expert="The opposite of teacher forcing: positions depend on each other, so they cannot be computed at once.",
        source="Williams & Zipser 1989",
        page="lessons",
        also=("free-running",),
    ),
    Term(
        "grammatical relation",
        plain="How two words of a sentence belong together, such as a verb and its subject.",
        expert="Known exactly for generated sentences; a head finds one where its largest weight is on the other word.",
        source="Clark et al. 2019",
        page="heads",
        also=("grammatical relations",),
    ),
    Term(
        "logit difference",
        plain="How much the model prefers one next token over another.",
        expert="The difference of two logits, which is also that of their log-probabilities.",
        source="Wang et al. 2022",
        page="heads",
    ),
    Term(
        "minimal pair",
        plain="Two sentences that differ in as little as possible, so that one difference can be studied.",
        expert="Both need the same number of tokens, so that states can be exchanged position by position.",
        source="Warstadt et al. 2020",
        page="heads",
        also=("minimal pairs",),
    ),
    Term(
        "monotonic",
        plain="Mostly moving through the source from left to right; single words may cross.",
        expert="The positions of the largest weights correlate with the row number by at least 0.7.",
        page="attention",
    ),
    Term(
        "role",
        plain="What a head mostly does, named by a rule of thumb.",
        expert="The first rule that holds, such as previous token, monotonic or separators; mixed where none does.",
        source="Voita et al. 2019",
        page="heads",
        also=(
            "roles",
            "head role",
            "head roles",
            "previous-token head",
        ),
    ),
)
