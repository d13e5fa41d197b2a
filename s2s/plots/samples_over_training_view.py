"""The picture of `SamplesOverTraining`: each sentence with its translations, their differences from the reference."""

from __future__ import annotations

from s2s.config import shortened
from s2s.plots.picture import ComparedRows, Picture
from s2s.questions import ProbeTranslations, SamplesOverTraining

LONGEST = 300  # characters of a cell
MARGIN = 40  # characters beyond twice the reference's length: early translations never end


def pictures(question: SamplesOverTraining, answer: ProbeTranslations, model: str) -> list[Picture]:
    if not answer.rows:
        return []
    table = question.table(answer)
    rows = [_fitting([str(cell) for cell in row]) for row in table.rows]
    kind = "Held-out" if answer.are_held_out else "Training"
    note = "" if answer.are_held_out else " No pairs are held out."
    return [
        Picture(
            "samples",
            f"{answer.run}\nsample translations",
            ComparedRows(
                table.columns,
                rows,
                table.columns[1:-1],
                [row[-1] for row in rows],
                ("a translation", "its reference"),
            ),
            f"Table of {answer.n} sentences with their translations at step {answer.newest:,}",
            table,
            question.finding(answer),
            f"{kind} sentences and their greedy translations at step {answer.newest:,}.{note}",
        )
    ]


def _fitting(row: list[str]) -> list[str]:
    """A row's texts, all truncated where one is: words that only one kept would look missing."""
    source, *texts, reference = row
    most = LONGEST if len(reference) > LONGEST else 2 * len(reference) + MARGIN
    reference = shortened(reference, LONGEST).strip()
    return [
        shortened(source, LONGEST),
        *(shortened(text, most).strip() for text in texts),
        reference,
    ]
