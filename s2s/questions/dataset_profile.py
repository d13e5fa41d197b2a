"""What a dataset is like: its pairs, its faults, what a task makes of it, its words, and how tokenizers split it."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from s2s.config import PRESETS, Recipe, UserError, override, shortened
from s2s.data import (
    LINT_RULES,
    LONGEST_CELL,
    Corpus,
    LintReport,
    Pair,
    Preview,
    Statistics,
    apply_task,
    clean,
    enabled_rules,
    task_of,
)
from s2s.jobs import share_too_long
from s2s.questions import dataset_findings as findings
from s2s.questions.have import Have
from s2s.questions.question import Question, setting, subject, view
from s2s.questions.table import Table
from s2s.tokenizers import TokenizerComparison

# The parts, and the sections of a stored profile that have them.
PARTS = MappingProxyType(
    {
        "pairs": "Pairs",
        "faults": "Cleaning",
        "task": "Task",
        "words": "Statistics",
        "tokens": "Tokens",
    }
)
SECTIONS = MappingProxyType({"faults": "lint", "words": "statistics", "tokens": "pieces"})
TASK_PAIRS = 50  # pairs whose input and output are shown
MEASURED = ("Tokens per word", "Unknown", "Median", "95th percentile", "Longest")


class TaskExamples(NamedTuple):
    """Input and output of the model for the first pairs under one task, and the share that the length limit drops."""

    task: str
    pairs: tuple[tuple[str, str], ...]
    too_long: float
    limit: int
    is_truncated: bool  # long texts, here


Part: TypeAlias = Preview | LintReport | TaskExamples | Statistics | TokenizerComparison


@dataclass(frozen=True)
class ProfiledDataset:
    """The name of a dataset, and the one part of its profile that was asked for."""

    name: str
    found: Part


@dataclass(frozen=True)
class DatasetProfile(Question[ProfiledDataset]):
    """One part of what can be said of a dataset, by its SPEC; `upload:ID/SPEC` is an upload as Data has read it.

    Task, words and tokens are those of the pairs that a recipe would train on: a preset with its changed `settings`, as
    JSON: `{"data.clean.copies": true}`.
    """

    dataset: str = subject("dataset", in_set=False)
    part: str = setting("pairs", choices=PARTS, in_set=False)
    preset: str = setting("small", PRESETS.__contains__, help="A preset's name.", in_set=False)
    settings: str = setting("{}", help="Changed settings of the recipe as JSON.", in_set=False)
    rule: str = view("", lambda rule: not rule or rule in LINT_RULES)  # whose examples are shown

    def ask(self, have: Have) -> ProfiledDataset:
        """The part. Raises UserError for a dataset that cannot be read, and for settings that do not fit together."""
        if not self.dataset:
            raise UserError(f"`{self.name}` is asked of a dataset; give its SPEC as `dataset`.")
        recipe = self.recipe
        if section := SECTIONS.get(self.part):
            found = have.section(self.dataset, section, recipe.data)
        else:
            found = have.preview(self.dataset)
            found = _examples(found, recipe) if self.part == "task" else found
        return ProfiledDataset(have.dataset_name(self.dataset), found)

    @property
    def recipe(self) -> Recipe:
        """The preset's recipe with the changed settings. Raises UserError where they do not fit together."""
        return changed_recipe(self.preset, self.settings)

    def stamp(self, have: Have) -> Hashable:
        return have.dataset_state(self.dataset)

    def shown_rule(self, report: LintReport) -> str:
        """The rule whose examples are shown: the chosen one, or the first that any pair matches; empty for none."""
        matched = [name for name, found in report.found.items() if found.n]
        return self.rule if self.rule in matched else next(iter(matched), "")

    def table(self, answer: ProfiledDataset) -> Table:
        return TABLES[type(answer.found)](answer.found, self)

    def finding(self, answer: ProfiledDataset) -> str:
        return FINDINGS[type(answer.found)](answer.found, self)


def changed_recipe(preset: str, settings: str) -> Recipe:
    """A preset's recipe with changed settings, which are JSON. Raises UserError where they do not fit together."""
    try:
        found = json.loads(settings)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UserError(f"`settings` is `{shortened(settings)}`; give a JSON object.")
    return override(PRESETS[preset].recipe, found)


def _examples(preview: Preview, recipe: Recipe) -> TaskExamples:
    rows = preview.rows[:TASK_PAIRS]
    pairs = tuple(Pair(*row) for row in rows)
    corpus = Corpus(preview.spec, "train", pairs, is_plain=preview.is_plain)
    made = apply_task(clean(corpus, recipe.data.clean), recipe.data, recipe.train.seed)
    return TaskExamples(
        task_of(corpus, recipe.data),
        tuple((pair.src, pair.tgt) for pair in made.pairs[:TASK_PAIRS]),
        share_too_long(recipe, preview),
        recipe.data.max_length,
        any(len(side) == LONGEST_CELL for row in rows for side in row),
    )


def _counts(found: Preview, question: DatasetProfile) -> Table:
    rows = [
        ["source", _whole(found.src_median), found.src_longest, found.src_words],
        ["target", _whole(found.tgt_median), found.tgt_longest, found.tgt_words],
    ]
    about = {"Median": "Words of a text.", "Longest": "Words of the longest text."}
    columns = ("Side", "Median", "Longest", "Distinct words")
    return Table(columns, rows, about | {"Distinct words": "In all texts, split at spaces."})


def _whole(number: float) -> float:
    return int(number) if number.is_integer() else number


def _rules(report: LintReport, question: DatasetProfile) -> Table:
    dropped = enabled_rules(question.recipe.data.clean)
    rows = [
        [
            LINT_RULES[name].label,
            found.n,
            found.n / max(1, report.n_pairs),
            "yes" if name in dropped else "no",
            LINT_RULES[name].about,
        ]
        for name, found in report.found.items()
        if name != "overlap" or report.n_valid
    ]
    return Table(("Rule", "Pairs", "Share", "Dropped", "What it finds"), rows, shares=("Share",))


def _frequent(words: Statistics, question: DatasetProfile) -> Table:
    sides = {"source": words.src, "target": words.tgt}
    rows = [[side, word, n] for side, found in sides.items() for word, n in found.frequent]
    return Table(("Side", "Word", "Count"), rows)


def tokenizer_table(found: TokenizerComparison, question: object = None) -> Table:
    """A row per tokenizer; lengths in tokens, without `</s>`, and the time to fit it in seconds."""
    both = [f"{name}, {side}" for name in MEASURED for side in ("source", "target")]
    rows = []
    for name, row in found.named.items():
        sides = [
            (side.tokens_per_word, side.unknown_rate, side.median, side.p95, side.longest)
            for side in (row.src, row.tgt)
        ]
        numbers = [number for pair in zip(*sides, strict=True) for number in pair]
        rows.append([name, row.tgt.vocab_size, row.too_long, *numbers, row.seconds])
    limit = found.rows[0].limit if found.rows else 0
    about = {
        "Too long": f"Pairs of more than {limit} tokens, `</s>` included, which are dropped.",
        "Seconds": "To fit it.",
    }
    columns = ("Tokenizer", "Vocabulary size", "Too long", *both, "Seconds")
    return Table(columns, rows, about, ("Too long", "Unknown, source", "Unknown, target"))


TABLES: Mapping[type, Callable[[Any, DatasetProfile], Table]] = MappingProxyType(
    {
        Preview: _counts,
        LintReport: _rules,
        TaskExamples: lambda found, question: Table(("Input", "Output"), found.pairs),
        Statistics: _frequent,
        TokenizerComparison: tokenizer_table,
    }
)
FINDINGS: Mapping[type, Callable[[Any, DatasetProfile], str]] = MappingProxyType(
    {
        Preview: lambda found, question: findings.of_pairs(found),
        LintReport: lambda found, question: findings.of_faults(found, question.recipe.data),
        TaskExamples: lambda found, question: findings.of_task(found),
        Statistics: lambda found, question: findings.of_words(found),
        TokenizerComparison: lambda found, question: findings.of_tokenizers(found),
    }
)
