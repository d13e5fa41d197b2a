"""Small trained runs that ship with the project, so that every page has something true to show before anyone trains."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from s2s.demo.sentences import (
    ALIGNED,
    BEAM_DIFFERS,
    EXAMPLE_LINKS,
    EXAMPLES,
    SHOWS,
    held_out_sentences,
    random_sentences,
)

if TYPE_CHECKING:
    from s2s.demo.results import Measured, shipped_about, shipped_faults, shipped_results

# Ids are permanent: links name them.
EVERYDAY = "demo-en-de"  # opens where a page is asked for nothing
LESSONS = "demo-en-fr"  # an address with a view and no run means this one, for ever
DEMOS = MappingProxyType(
    {
        EVERYDAY: "builtin:everyday",
        LESSONS: "builtin:en-fr",
        "demo-en-es": "builtin:en-es",
        "demo-tasks": "builtin:tasks",
    }
)
PURPOSES = MappingProxyType(
    {
        EVERYDAY: "Everyday English to German; type any sentence.",
        LESSONS: "English to French of a small grammar whose right answers are known; for lessons and alignments.",
        "demo-en-es": "The same grammar in Spanish, to compare with.",
        "demo-tasks": "Four tasks, each asked for by a prefix: translate, summarize, respond, reverse.",
    }
)


def __getattr__(name: str) -> Any:
    """Import results when they are first used: the ids of the demos cost no torch."""
    if name in ("Measured", "shipped_about", "shipped_faults", "shipped_results"):
        from s2s.demo import results

        return getattr(results, name)
    raise AttributeError(f"`s2s.demo` has no `{name}`")
