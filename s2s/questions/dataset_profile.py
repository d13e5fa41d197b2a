"""What a dataset is like: its pairs, its faults, what a task makes of it, its words, and how tokenizers split it."""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, NamedTuple

from s2s.config import PRESETS, Recipe, UserError, override, shortened
from s2s.data import (
    LINT_RULES,
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
from s2s.questions.dataset_findings import (
    of_faults,
    of_pairs,
    of_task,
    of_tokenizers,
    of_words,
    percent,
)
from s2s.questions.have import Have
from s2s.questions.question import Question, setting, subject, view
from s2s.questions.table import Table
from s2s.tokenizers import TokenizerComparison

PAIRS, FAULTS, TASK, WORDS, TOKENS = "pairs", "faults", "task", "words", "tokens"
PARTS = MappingProxyType(
    {PAIRS: "Pairs", FAULTS: "Cleaning", TASK: "Task", WORDS: "Statistics", TOKENS: "Tokens"}
)
TASK_PAIRS = 50  # pairs whose input and output are shown


def presets() -> dict[str, str]:
    """The rows of PRESETS."""
    return {name: name for name in PRESETS}


def rules() -> dict[str, str]:
    """The rules of the linter, and the empty one: the first that any pair matches."""
    return {"": "first"} | {name: row.label for name, row in LINT_RULES.items()}


class TaskExamples(NamedTuple):
    """A row of TASKS, with input and output of the model for the first pairs; `too_long` is about the share of all that
    the length limit drops, and `limit` that limit in tokens.
    """

    task: str
    pairs: tuple[tuple[str, str], ...]
    too_long: float
    limit: int

    @property
    def too_long_shown(self) -> str:
        """In percent."""
        return percent(self.too_long)


@dataclass(frozen=True)
class ProfiledDataset:
    """The preview of a dataset, and of the rest the part that was asked for."""

    name: str
    preview: Preview
    faults: LintReport | None = None
    task: TaskExamples | None = None
    words: Statistics | None = None
    tokenizers: TokenizerComparison | None = None


@dataclass(frozen=True)
class DatasetProfile(Question[ProfiledDataset]):
    """One part of what can be said of a dataset, by its SPEC; `upload:ID/SPEC` is an upload as Data has read it.

    Task, words and tokens are those of the pairs that a recipe would train on: a preset with its changed `settings`, as
    JSON: `{"data.clean.copies": true}`.
    """

    name: ClassVar[str] = "dataset-profile"

    dataset: str = subject("dataset", in_set=False)
    part: str = setting(PAIRS, choices=PARTS, in_set=False)
    preset: str = setting("small", choices=presets, in_set=False)
    settings: str = setting("{}", help="Changed settings of the recipe as JSON.", in_set=False)
    rule: str = view("", choices=rules, label="Examples")

    def ask(self, have: Have) -> ProfiledDataset:
        """Raises UserError for a dataset that cannot be read, and for settings that do not fit together."""
        if not self.dataset:
            raise UserError(f"`{self.name}` is asked of a dataset; give its SPEC as `dataset`.")
        recipe = self.recipe
        preview = have.preview(self.dataset)
        found = ProfiledDataset(have.dataset_name(self.dataset), preview)
        if self.part == TASK:
            return ProfiledDataset(found.name, preview, task=_examples(preview, recipe))
        if self.part == PAIRS:
            return found
        field, section = SECTIONS[self.part]
        return ProfiledDataset(
            found.name, preview, **{field: have.section(self.dataset, section, recipe.data)}
        )

    @property
    def recipe(self) -> Recipe:
        """The preset's with these settings. Raises UserError where they do not fit together."""
        try:
            found = json.loads(self.settings)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise UserError(f"`settings` is `{shortened(self.settings)}`; give a JSON object.")
        return override(PRESETS[self.preset].recipe, found)

    def stamp(self, have: Have) -> Hashable:
        """Its name, and whether the asker may still read it."""
        return have.dataset_state(self.dataset)

    def shown_rule(self, answer: ProfiledDataset) -> str:
        """The rule whose examples are shown: the chosen one, or the first that any pair matches; empty for none."""
        matched = [name for name, found in _report(answer).found.items() if found.n]
        return self.rule if self.rule in matched else next(iter(matched), "")

    def table(self, answer: ProfiledDataset) -> Table:
        """The counts of both sides; pairs by rule; inputs and outputs; frequent words; a row per tokenizer."""
        return TABLES[self.part](self, answer)

    def finding(self, answer: ProfiledDataset) -> str:
        """What stands out, in words."""
        if answer.faults:
            return of_faults(answer.faults, self.recipe.data)
        if answer.task:
            return of_task(answer.task)
        if answer.words:
            return of_words(answer.words)
        return of_tokenizers(answer.tokenizers) if answer.tokenizers else of_pairs(answer.preview)

    def _counts(self, answer: ProfiledDataset) -> Table:
        found = answer.preview
        sides = {
            "source": (found.src_median, found.src_longest, found.src_words),
            "target": (found.tgt_median, found.tgt_longest, found.tgt_words),
        }
        rows = [[side, _whole(median), *counts] for side, (median, *counts) in sides.items()]
        about = {
            "Median": "Words of a text.",
            "Longest": "Words of the longest text.",
            "Distinct words": "In all texts, split at spaces.",
        }
        return Table(("Side", *about), rows, about)

    def _rules(self, answer: ProfiledDataset) -> Table:
        report = _report(answer)
        dropped = enabled_rules(self.recipe.data.clean)
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
        columns = ("Rule", "Pairs", "Share", "Dropped", "What it finds")
        return Table(columns, rows, shares=("Share",))

    def _task(self, answer: ProfiledDataset) -> Table:
        return Table(("Input", "Output"), answer.task.pairs if answer.task else ())

    def _words(self, answer: ProfiledDataset) -> Table:
        words = answer.words
        sides = (("source", words.src), ("target", words.tgt)) if words else ()
        rows = [[side, word, n] for side, found in sides for word, n in found.frequent]
        return Table(("Side", "Word", "Count"), rows)

    def _tokenizers(self, answer: ProfiledDataset) -> Table:
        return tokenizer_table(answer.tokenizers) if answer.tokenizers else Table((), ())


def _whole(number: float) -> float:
    return int(number) if number.is_integer() else number


def _report(answer: ProfiledDataset) -> LintReport:
    if answer.faults is None:
        raise TypeError("this part of a profile has no rules")
    return answer.faults


def _examples(preview: Preview, recipe: Recipe) -> TaskExamples:
    pairs = tuple(Pair(*row) for row in preview.rows[:TASK_PAIRS])
    corpus = Corpus(preview.spec, "train", pairs, is_plain=preview.is_plain)
    made = apply_task(clean(corpus, recipe.data.clean), recipe.data, recipe.train.seed)
    return TaskExamples(
        task_of(corpus, recipe.data),
        tuple((pair.src, pair.tgt) for pair in made.pairs[:TASK_PAIRS]),
        share_too_long(recipe, preview),
        recipe.data.max_length,
    )


def tokenizer_table(found: TokenizerComparison) -> Table:
    """A row per tokenizer; lengths in tokens, without `</s>`, and the time to fit it in seconds."""
    columns = ["Tokenizer", "Vocabulary size", "Too long"]
    measured = ("Tokens per word", "Unknown", "Median", "95th percentile", "Longest")
    columns += [f"{name}, {side}" for name in measured for side in ("source", "target")]
    rows = []
    for name, row in found.named.items():
        sides = [
            (side.tokens_per_word, side.unknown_rate, side.median, side.p95, side.longest)
            for side in (row.src, row.tgt)
        ]
        numbers = [number for both in zip(*sides, strict=True) for number in both]
        rows.append([name, row.tgt.vocab_size, row.too_long, *numbers, row.seconds])
    shares = ("Too long", "Unknown, source", "Unknown, target")
    limit = found.rows[0].limit if found.rows else 0
    about = {
        "Tokenizer": "Kind and vocabulary size.",
        "Too long": f"Pairs of more than {limit} tokens, `</s>` included, which are dropped.",
        "Unknown, source": "Share of the held-out tokens that are `<unk>`.",
        "Seconds": "To fit it.",
    }
    return Table((*columns, "Seconds"), rows, about, shares)


SECTIONS = MappingProxyType(
    {FAULTS: ("faults", "lint"), WORDS: ("words", "statistics"), TOKENS: ("tokenizers", "pieces")}
)
TABLES = MappingProxyType(
    {
        PAIRS: DatasetProfile._counts,
        FAULTS: DatasetProfile._rules,
        TASK: DatasetProfile._task,
        WORDS: DatasetProfile._words,
        TOKENS: DatasetProfile._tokenizers,
    }
)
