"""All cross-attention heads of a published model's shape beside those of the demo model: what the server does for them.

T5-small, 6 layers of 8 heads with random weights, against the demo model. `first`: the attention of a new sentence and
its own translation, the roles of the 48 heads, and the bytes that the browser draws. `again`: the last two, where the
attention is known. Both sentences have as many tokens; each figure is the median over sentences, and the models take
turns.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import torch

import s2s
from benchmarks.pretrained import checkpoint, write_tokenizer
from benchmarks.report import last_line, options, table
from s2s.analysis import ROLES, Attention, summarize_heads
from s2s.jobs.model_import import import_folder
from s2s.runs import Run
from s2s.ui.canvas import pack_heads

TOKENS = 12  # of each target, and about as many of each source
DEMO = "demo-en-fr"
DEMO_WORDS = ("the", "red", "house", "is", "small", "and", "the", "cat", "sleeps")
KIND = "cross"


class Sentence(NamedTuple):
    """A source, and the ids of its translation."""

    source: str
    ids: tuple[int, ...]


def sentences(run: Run, rounds: int) -> list[Sentence]:
    """Different ones, each translated into exactly TOKENS tokens."""
    words = DEMO_WORDS if run.folder.id == DEMO else [str(number) for number in range(100, 109)]
    sources = [" ".join([*words[n % 9 :], *words[: n % 9], words[n % 7]]) for n in range(rounds)]
    limits = {"min_new_tokens": TOKENS, "max_new_tokens": TOKENS}
    found = run.translate(sources, "greedy", **limits)
    return [Sentence(one.source, one.hypotheses[0].ids) for one in found]


def drawn(attention: Attention) -> bytes:
    """As the page prepares it."""
    roles = [[ROLES[slug].label for slug in row] for row in summarize_heads(attention, KIND).role]
    view = attention.view(KIND)
    return pack_heads(view.weights, view.rows, view.keys, view.verb, roles=roles)


def measure(run: Run, sentence: Sentence) -> tuple[float, float, int]:
    """Seconds at first and again, and the bytes."""
    started = time.perf_counter()
    attention = run.attention(sentence.source, sentence.ids)
    known = time.perf_counter()
    picture = drawn(attention)
    ended = time.perf_counter()
    return ended - started, ended - known, len(picture)


def main() -> None:
    """Take turns, and show the medians."""
    parser = options(__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["S2S_HOME"] = str(folder / "home")
        checkpoint("T5-small", folder / "t5")
        write_tokenizer(folder / "t5")
        import_folder(folder / "t5", folder / "run")
        runs = {"T5-small": s2s.load(folder / "run"), DEMO: s2s.load(DEMO)}
    asked = {title: sentences(run, arguments.rounds + 1) for title, run in runs.items()}
    found: dict[str, list[tuple[float, float, int]]] = {title: [] for title in runs}
    for number in range(arguments.rounds + 1):
        for title, run in runs.items():
            found[title].append(measure(run, asked[title][number]))
    rows = []
    for title, run in runs.items():
        first, again, n_bytes = zip(*found[title][1:], strict=True)
        decoder = run.recipe.model.decoder
        rows.append(
            {
                "model": title,
                "heads": decoder.n_layers * decoder.n_heads,
                "first ms": 1000 * statistics.median(first),
                "again ms": 1000 * statistics.median(again),
                "kB": max(n_bytes) / 1000,
            }
        )
    table(rows)
    last_line("heads", {"rows": rows}, arguments)


if __name__ == "__main__":
    main()
