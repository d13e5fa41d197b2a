"""The dataset of a run, for its report: pairs, hashes, what was dropped, lengths and words."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from s2s.config import UserError
from s2s.data import PROFILE_SECTIONS, ProfileFolder, Statistics, profile_of, stored_section
from s2s.library import guests
from s2s.reports import document
from s2s.runs import Run
from s2s.runs.portable import dataset_name

PATIENCE = 10.0  # seconds that a report waits for statistics that nobody has computed yet
POLL = 0.05  # seconds
FREQUENT = 12  # words shown per side


def profile(run: Run, about: Mapping[str, Any]) -> Iterable[str]:
    """What the run was trained on, with statistics of the dataset if it is stored here."""
    data = about.get("data")
    known: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    dropped = known.get("dropped")
    reasons = dropped if isinstance(dropped, Mapping) else {}
    yield document.facts(
        {
            "Dataset": dataset_name(str(about.get("source") or "")),
            "Validated on": dataset_name(str(about.get("valid") or "")),
            "Training pairs": _count(known.get("n_train")),
            "Validation pairs": _count(known.get("n_valid")),
            "Dropped pairs": "; ".join(f"{_count(n)} {why}" for why, n in reasons.items()),
            "Hash of training pairs": str(known.get("train_hash") or ""),
            "Hash of validation pairs": str(known.get("valid_hash") or ""),
            "Source vocabulary": f"{run.src_tokenizer.vocab_size:,} tokens",
            "Target vocabulary": f"{run.tgt_tokenizer.vocab_size:,} tokens",
        }
    )
    notes = known.get("notes")
    for note in notes if isinstance(notes, list) else ():
        yield document.paragraph(str(note).replace("`", ""))
    found = _statistics(run, guests.about_run(run.folder).get("source"))
    if isinstance(found, Statistics):
        yield from _words(found)
    else:
        yield document.paragraph(found, "note")


def _count(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else ""


def _statistics(run: Run, source: object) -> Statistics | str:
    try:
        stored = _computed(profile_of(str(source or "")), run)
    except UserError:
        stored = None
    if stored is None:
        return (
            "There are no statistics of this dataset: it is not stored here, or is too large to read"
            " while a report is written; Data shows those of a saved dataset."
        )
    return stored


def _computed(of: ProfileFolder, run: Run) -> Statistics | None:
    data = run.recipe.data
    found: Statistics | None = stored_section(of, "statistics", data)
    if found:
        return found
    file = PROFILE_SECTIONS["statistics"].name("statistics", data)
    of.start(("statistics",), request=("statistics", file), data=data)
    until = time.monotonic() + PATIENCE
    while not of.state().is_over and time.monotonic() < until:
        time.sleep(POLL)
    of.stop()
    found = stored_section(of, "statistics", data)
    return found


def _words(found: Statistics) -> Iterable[str]:
    rows = []
    for side, words in (("source", found.src), ("target", found.tgt)):
        seen = f"{100 * words.covered[0].running:.1f}" if words.covered else "–"
        rows.append(
            [
                side,
                f"{words.n_running:,}",
                f"{words.n_distinct:,}",
                f"{words.n_once:,}",
                f"{words.n_running / max(1, found.n_pairs):.2f}",
                seen,
            ]
        )
    head = (
        "side",
        "word tokens",
        "distinct words",
        "words that occur once",
        "words per sentence (mean)",
        "words of validation pairs that training has (%)",
    )
    yield document.table(head, rows, f"Words of {found.n_pairs:,} training pairs")
    yield document.paragraph(
        f"Median length ratio: {found.ratio_median:.2f} target words per source word."
    )
    for side, words in (("sources", found.src), ("targets", found.tgt)):
        frequent = ", ".join(f"{word} ({n:,})" for word, n in words.frequent[:FREQUENT])
        yield document.paragraph(f"Most frequent words of the {side}: {frequent}.")
