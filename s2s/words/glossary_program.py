"""Words of the program, of its files, and of the computer that runs it."""

from __future__ import annotations

from s2s.words.term import Term

PROGRAM: tuple[Term, ...] = (
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
        "matrix precision",
        plain="How exactly the processor or the GPU multiplies numbers: slower and exact, or faster.",
        expert="`exact` is float32; `fast`, on CPUs, takes other products where a check finds them as accurate; `bf16`"
        " rounds factors to bfloat16.",
        source="Micikevicius et al. 2018",
        page="train",
        also=("output precision",),
    ),
    Term(
        "processor time",
        plain="How long the processor worked, without the time that it waited.",
        expert="Summed over the threads; other load on the computer hardly changes it.",
        page="lessons",
        also=(
            "CPU time",
            "CPU seconds",
        ),
    ),
    Term(
        "thread",
        plain="One of several computations that a processor runs at the same time.",
        expert="Part of the recipe, since the order of additions, and so the last bits, depends on their number; "
        "with `train.minutes`, fewer are used while that is faster, so that two runs differ.",
        page="train",
        also=(
            "threads",
            "CPU threads",
        ),
    ),
    Term(
        "token id",
        plain="The number of a token in the vocabulary.",
        expert="In tokenizers trained here, 0 to 3 are <pad>, <s>, </s> and <unk>; others have the tokenizer's order.",
        page="walkthrough",
        also=(
            "ids",
            "id",
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
