"""Repeats BLEU, chrF and TER of a file of translations with sacrebleu alone, where sentences have different numbers of
references: python rescore.py OUTPUT REFERENCES [MORE REFERENCES ...]

An empty line in a file of references means that the sentence has no such reference; sacrebleu's own command would count
it as an empty one. Texts are compared in Unicode's composed form (NFC). This file is part of the bundle of an
evaluation, and needs nothing else of s2s.
"""

from __future__ import annotations

import argparse
import json
import unicodedata
from pathlib import Path
from typing import Any

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER


def lines(name: str) -> list[str]:
    """The lines of a file in NFC; only a line feed ends one."""
    text = unicodedata.normalize("NFC", Path(name).read_bytes().decode())
    return text.removesuffix("\n").split("\n")


def main() -> None:
    """Print the scores and their signatures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output")
    parser.add_argument("references", nargs="+")
    parser.add_argument("--tokenize", default="13a")
    parser.add_argument("--chrf-word-order", type=int, default=0)
    parser.add_argument("--lowercase", action="store_true")
    given = parser.parse_args()
    first, *more = (lines(name) for name in given.references)
    references: list[Any] = [
        first,
        *([line if line.strip() else None for line in each] for each in more),
    ]
    found = {}
    for name, metric in (
        ("bleu", BLEU(tokenize=given.tokenize, lowercase=given.lowercase, force=True)),
        ("chrf", CHRF(word_order=given.chrf_word_order, lowercase=given.lowercase)),
        ("ter", TER()),
    ):
        score = metric.corpus_score(lines(given.output), references)
        signature = f"{metric.get_signature()}|unicode:NFC"
        found[name] = {"score": score.score, "signature": signature}
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
