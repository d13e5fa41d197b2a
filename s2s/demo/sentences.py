"""The example sentences of the demos, and those of their datasets that they were not trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from s2s.data import is_for_tests, load, splits

EXAMPLE_LINKS = Path(__file__).parent / "example_links.tsv"  # dataset, source, target, links
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
# Where greedy and beam search of the demo differ; those of `everyday` are among the examples.
BEAM_DIFFERS: Mapping[str, str] = MappingProxyType(
    {
        "builtin:en-fr": "the good water",
        "builtin:en-es": "this bell that their cow hears often rings",
        "builtin:tasks": "translate English to French: the boy who wants the red flower does not arrive",
    }
)
ALIGNED = tuple(source for source in EXAMPLES if source != "builtin:everyday")


def random_sentences(source: str) -> tuple[str, ...]:
    """Sources that a demo was not trained on, in its dataset's split `random` or `test`; none for another dataset."""
    if is_for_tests(source):
        return tuple(pair.src for pair in load(source).pairs)
    return _sources(source, ("random",))


def held_out_sentences(source: str) -> tuple[str, ...]:
    """The sources of a demo dataset's splits HELD_OUT; none for another dataset."""
    return _sources(source, HELD_OUT)


def _sources(source: str, names: Sequence[str]) -> tuple[str, ...]:
    if source not in ALIGNED:
        return ()
    found = [name for name in names if name in splits(source)]
    return tuple(pair.src for name in found for pair in load(source, name).pairs)
