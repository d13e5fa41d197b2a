"""Words of experiments inside a model, and of the program that runs them."""

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
        "CSV",
        plain="A table as plain text, which every spreadsheet program opens.",
        expert="Comma-separated values in UTF-8 with one header line.",
        source="RFC 4180",
        page="data",
        also=("TSV",),
    ),
    Term(
        "CTranslate2",
        plain="A program that runs exported models fast.",
        expert="Inference in C++ for CPU and GPU, with quantized weights if wanted.",
        source="Klein et al. 2020",
        page="train",
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
        "hash",
        plain="A short text that changes whenever the data changes.",
        expert="The beginning of a SHA-256 digest over the pairs in their order.",
        page="runs",
        also=(
            "data hash",
            "hashes",
        ),
    ),
    Term(
        "Hugging Face transformers",
        plain="A Python library in which most published models can be used.",
        expert="An export becomes the class of it that computes the same, Pegasus for one.",
        source="Wolf et al. 2020",
        page="train",
    ),
    Term(
        "job",
        plain="Work that the server does beside the pages, such as a training.",
        expert="A row in the queue, which a worker claims, renews and finishes; it survives a restart.",
        page="train",
        also=(
            "jobs",
            "queue",
            "worker",
        ),
    ),
    Term(
        "JSON",
        plain="A text format for settings and results that programs read.",
        expert="UTF-8, with the keys of the recipe or of the metrics.",
        source="RFC 8259",
        page="runs",
    ),
    Term(
        "logit difference",
        plain="How much the model prefers one next token over another.",
        expert="The difference of two logits, which is also that of their log-probabilities.",
        source="Wang et al. 2022",
        page="heads",
    ),
    Term(
        "matrix precision",
        plain="How exactly the processor multiplies numbers: slower and exact, or faster.",
        expert="`exact` is float32; `fast` allows bf16 products where a check finds them accurate enough.",
        source="Micikevicius et al. 2018",
        page="train",
        also=("output precision",),
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
        plain="Moving through the source from left to right.",
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
        ),
    ),
    Term(
        "thread",
        plain="One of several computations that a processor runs at the same time.",
        expert="Part of the recipe, since the order of additions, and so the last bits, depends on their number.",
        page="train",
        also=(
            "threads",
            "CPU threads",
        ),
    ),
    Term(
        "wall time",
        plain="Time by the clock, waiting included.",
        expert="Not processor time; other load on the server lengthens it.",
        page="compare",
        also=("seconds per sentence",),
    ),
)
