"""The example sentences of the demos, and files made from their datasets, since generating these takes seconds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from s2s import files
from s2s.data import Pair, is_for_tests, load, splits

RANDOM_SENTENCES = Path(__file__).parent / "random_sentences"  # the sources of split `random`
HELD_OUT_SENTENCES = Path(__file__).parent / "held_out_sentences"  # those of HELD_OUT
GOLD_LINKS = Path(__file__).parent / "gold_links"  # of the examples, then of split `random`
HELD_OUT = ("unseen", "deep", "agreement")  # splits that are harder than `random`, where there are
# The first is shown first. All are in the training data, but those of `everyday`, which are test sentences, so that a
# translation by a person stands beside the model's.
EXAMPLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "builtin:everyday": (
            "He promised to come home early tonight.",
            "He was so tired that he could hardly stand.",
            "Mary is hanging up the laundry.",
            "Could you bring me something to eat?",
            "A majority voted against the bill.",
            "They really know how to throw a party!",
        ),
        "builtin:en-fr": (
            "the cat sits on the mat",
            "the bank is by the river",
            "I need to bank the money",
            "the cat who chased the mouse was black",
            "the red house",
        ),
        "builtin:en-es": (
            "the red house",
            "the cat sits on the mat",
            "the bank is by the river",
            "I need to bank the money",
            "the cat who chased the mouse was black",
        ),
        "builtin:tasks": (
            "translate English to French: the cat sits on the mat",
            "summarize: snow fell . the queen heard the neighbor . the big castle burned down ."
            " the bridge almost burned down .",
            "respond: Ben found the watch . Ida is in the hotel . Ben gave the watch to Ida . who has the watch ?",
            "reverse: lamp green old hat",
            "respond: Max is in the church . Clara has the book . Max took the book . where is Max ?",
        ),
    }
)
# What to see in an example; the others are self-explanatory.
SHOWS: Mapping[str, str] = MappingProxyType(
    {
        "He promised to come home early tonight.": "Greedy search leaves *early* out; beam search keeps it.",
        "He was so tired that he could hardly stand.": "In German, the verb stands at the end.",
        "Mary is hanging up the laundry.": "A verb in two parts: *hängt … auf*.",
        "Could you bring me something to eat?": "German has three words for *you*: *du* and *ihr* for friends, *Sie*"
        " for strangers.",
        "A majority voted against the bill.": "*bill* has two meanings; the model takes the wrong one.",
        "They really know how to throw a party!": "The model gets this one wrong.",
    }
)
ALIGNED = tuple(source for source in EXAMPLES if source != "builtin:everyday")


def random_sentences(source: str) -> tuple[str, ...]:
    """Sources that a demo was not trained on, in its dataset's split `random` or `test`; none for another dataset."""
    if is_for_tests(source):
        return tuple(pair.src for pair in load(source).pairs)
    return _lines(RANDOM_SENTENCES, source)


def held_out_sentences(source: str) -> tuple[str, ...]:
    """The sources of a demo dataset's splits HELD_OUT; none for another dataset."""
    return _lines(HELD_OUT_SENTENCES, source)


def _lines(folder: Path, source: str) -> tuple[str, ...]:
    """The file of a generated dataset, since making its pairs takes seconds."""
    file = folder / f"{source.removeprefix('builtin:')}.txt"
    return tuple(file.read_text(encoding="utf-8").splitlines()) if source in ALIGNED else ()


def write() -> None:
    """Write all files of the three folders again."""
    for source in ALIGNED:
        name = source.removeprefix("builtin:")
        files.write_bytes(RANDOM_SENTENCES / f"{name}.txt", _text(sentences(source)))
        files.write_bytes(HELD_OUT_SENTENCES / f"{name}.txt", _text(held_out(source)))
        files.write_bytes(GOLD_LINKS / f"{name}.tsv", _text(aligned(source)))


def sentences(source: str) -> list[str]:
    """Sources that a demo was not trained on."""
    return [pair.src for pair in load(source, "random").pairs]


def held_out(source: str) -> list[str]:
    """The sources of its splits HELD_OUT, in this order."""
    names = [name for name in HELD_OUT if name in splits(source)]
    return [pair.src for name in names for pair in load(source, name).pairs]


def aligned(source: str) -> list[str]:
    """A line per pair: target, tab, links such as `0-0 1-2`, source position first."""
    train = {pair.src: pair for pair in reversed(load(source).pairs)}
    pairs = [*(train[text] for text in EXAMPLES[source]), *load(source, "random").pairs]
    return [f"{pair.tgt}\t{_links(pair)}" for pair in pairs]


def _links(pair: Pair) -> str:
    return " ".join(f"{link.src}-{link.tgt}" for link in pair.gold.links) if pair.gold else ""


def _text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
