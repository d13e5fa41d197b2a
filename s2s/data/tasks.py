"""Tasks: what pairs to make of a dataset. Knows nothing of tokenizers and models."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from s2s.config import Choice, DataConfig, UserError, choose, shortened
from s2s.data.corpus import Corpus
from s2s.data.formats.table import TURN
from s2s.data.pair import Gold, Pair, after_prefix, shared_link, shared_relation
from s2s.data.synthetic import copied, reversed_, sorted_
from s2s.data.text import halves as split_in_halves

Draw = Callable[[], float]  # uniform from 0 to 1, the same for the same text and seed
Make = Callable[[Pair, DataConfig, Draw], Iterable[Pair]]

SENTINELS = tuple(f"<{letter}>" for letter in "XYZABCDEFGHIJKLMNOPQRSTUVW")


@dataclass(frozen=True, kw_only=True)
class Task(Choice[Make]):
    """A task: `make` turns a pair, or a plain text (the same on both sides), into training pairs."""

    label: str
    of_plain: Make | None = None  # instead of `make`, for plain text
    needs_pairs: bool = False
    prefix: str = ""  # before each source, unless `data.prefix` is set
    settings: tuple[str, ...] = ()  # of DataConfig that it uses


def translate(pair: Pair, config: DataConfig, draw: Draw) -> Iterator[Pair]:
    yield pair


def reverse_direction(pair: Pair, config: DataConfig, draw: Draw) -> Iterator[Pair]:
    """The pair with source and target exchanged, gold included."""
    yield Pair(pair.tgt, pair.src, _swapped(pair.gold) if pair.gold else None)


def _swapped(gold: Gold) -> Gold:
    links, possible = (
        tuple(sorted(shared_link(tgt, src) for src, tgt in of))
        for of in (gold.links, gold.possible)
    )
    sides = {"src": "tgt", "tgt": "src"}
    relations = tuple(
        shared_relation(kind, sides[side], head, dependent)
        for kind, side, head, dependent in gold.relations
    )
    return Gold(links, gold.unlinked_tgt, gold.unlinked_src, relations, possible)


def denoise(pair: Pair, config: DataConfig, draw: Draw) -> Iterator[Pair]:
    """Span corruption: sentinels replace spans of the source's words, and the target gives the words of each span.

    At rate 0.5 and spans of 2, `Thank you for inviting me to your party last week.` may become
    `Thank you <X> me to <Y> last week.` -> `<X> for inviting <Y> your party <Z>`. A text of one word yields nothing.
    """
    words = pair.src.split()
    n_hidden = min(max(round(len(words) * config.noise_rate), 1), len(words) - 1)
    if n_hidden < 1:
        return
    n_kept = len(words) - n_hidden
    n_spans = min(
        max(round(n_hidden / config.noise_span), 1), n_hidden, n_kept + 1, len(SENTINELS) - 1
    )
    hidden = _random_partition(n_hidden, n_spans, draw)
    # With two extra words, since the first and the last kept span may be empty.
    kept = _random_partition(n_kept + 2, n_spans + 1, draw)
    kept = [kept[0] - 1, *kept[1:]]
    src: list[str] = []
    tgt: list[str] = []
    at = 0
    for sentinel, stays, hides in zip(SENTINELS, kept, hidden, strict=False):
        src += [*words[at : at + stays], sentinel]
        tgt += [sentinel, *words[at + stays : at + stays + hides]]
        at += stays + hides
    yield Pair(" ".join([*src, *words[at:]]), " ".join([*tgt, SENTINELS[n_spans]]))


def _random_partition(total: int, n: int, draw: Draw) -> list[int]:
    """A list of `n` numbers of at least 1 whose sum is `total`, uniformly at random."""
    boundaries = list(range(1, total))
    for at in range(n - 1):  # a partial Fisher-Yates shuffle
        other = at + int(draw() * (len(boundaries) - at))
        boundaries[at], boundaries[other] = boundaries[other], boundaries[at]
    edges = [0, *sorted(boundaries[: n - 1]), total]
    return [end - start for start, end in itertools.pairwise(edges)]


def respond(pair: Pair, config: DataConfig, draw: Draw) -> Iterator[Pair]:
    """The last turns of a dialogue, separated by `<turn>` -> the next turn."""
    yield Pair(_joined(_turns(pair)[-config.turns :]), pair.tgt, more=pair.more)


def continue_dialogue(pair: Pair, config: DataConfig, draw: Draw) -> Iterator[Pair]:
    """Each turn of a plain dialogue after the first, from the last ones before it."""
    turns = _turns(pair)
    for at in range(1, len(turns)):
        yield Pair(_joined(turns[max(0, at - config.turns) : at]), turns[at])


def _turns(pair: Pair) -> list[str]:
    return [turn.strip() for turn in pair.src.split(TURN)]


def _joined(turns: list[str]) -> str:
    return f" {TURN} ".join(turns)


def halves(pair: Pair, config: DataConfig, draw: Draw) -> Iterator[Pair]:
    """The first half of a text -> its second half. A text of one character yields nothing."""
    if len(pair.src) > 1:
        yield split_in_halves(pair.src)


def _ordered(order: Callable[[list[str]], list[int]]) -> Make:
    def make(pair: Pair, config: DataConfig, draw: Draw) -> Iterator[Pair]:
        words = pair.src.split()
        indices = order(words)
        links = tuple(sorted(shared_link(src, tgt) for tgt, src in enumerate(indices)))
        yield Pair(" ".join(words), " ".join(words[index] for index in indices), Gold(links))

    return make


TASKS: Mapping[str, Task] = MappingProxyType(
    {
        "translate": Task(
            translate,
            DataConfig,
            "Write the target of the source.",
            label="Translate",
            needs_pairs=True,
        ),
        "reverse_direction": Task(
            reverse_direction,
            DataConfig,
            "Write the source from the target.",
            label="Reverse direction",
            needs_pairs=True,
        ),
        "prefix": Task(
            translate,
            DataConfig,
            "Text to text: a prefix before the source names the task, so that one model can learn several.",
            source="Raffel et al. (2020), T5, JMLR 21, section 2.4",
            label="Text to text with a prefix",
            needs_pairs=True,
            settings=("prefix",),
        ),
        "denoise": Task(
            denoise,
            DataConfig,
            "Span corruption: restore the spans replaced by sentinels. Needs no targets, only text.",
            source="Raffel et al. (2020), T5, JMLR 21, section 3.1.4",
            label="Denoise",
            settings=("noise_rate", "noise_span"),
        ),
        "summarize": Task(
            translate,
            DataConfig,
            "Write the summary of a text.",
            source="Raffel et al. (2020), T5, JMLR 21, appendix D",
            label="Summarize",
            needs_pairs=True,
            prefix="summarize: ",
        ),
        "respond": Task(
            respond,
            DataConfig,
            f"Write the next turn of a dialogue from the last ones; {TURN} separates turns.",
            label="Respond",
            of_plain=continue_dialogue,
            prefix="respond: ",
            settings=("turns",),
        ),
        "halves": Task(
            halves,
            DataConfig,
            "Write the second half of a text from its first.",
            label="Second half from the first",
        ),
        "copy": Task(_ordered(copied), DataConfig, "Copy the source's words.", label="Copy"),
        "reverse": Task(
            _ordered(reversed_),
            DataConfig,
            "Write the source's words in reverse order.",
            label="Reverse the words",
        ),
        "sort": Task(
            _ordered(sorted_),
            DataConfig,
            "Write the source's words in alphabetical order.",
            label="Sort the words",
        ),
    }
)


def task_of(corpus: Corpus, config: DataConfig) -> str:
    """The key of the task; `auto` translates pairs and continues plain text."""
    if config.task != "auto":
        return config.task
    return "halves" if corpus.is_plain else "translate"


def apply_task(corpus: Corpus, config: DataConfig, seed: int) -> Corpus:
    """The training pairs of a task. Raises UserError if the dataset does not suit the task."""
    key = task_of(corpus, config)
    task = choose("task", key, TASKS)
    prefix = config.prefix or task.prefix
    if corpus.is_plain and task.needs_pairs:
        others = ", ".join(name for name, row in TASKS.items() if not row.needs_pairs)
        raise UserError(
            f"`data.task` {key} needs sources and targets, and `{shortened(corpus.spec)}` is"
            f" plain text; choose {others}."
        )
    if key == "prefix" and not prefix:
        raise UserError(
            "`data.task` prefix has no `data.prefix`; give one, for example data.prefix='translate"
            " English to French: '."
        )
    if key == "translate" and not prefix:
        return replace(corpus, task=key)
    make = _make_of(task, is_plain=corpus.is_plain)
    made = [list(_made(make, pair, config, seed)) for pair in corpus.pairs]
    pairs = tuple(
        _prefixed(pair, prefix)
        for found in made
        for pair in found
        if pair.src.strip() and pair.tgt.strip()
    )
    if not pairs:
        raise UserError(
            f"`data.task` {key} makes no pair from `{shortened(corpus.spec)}`: {TASKS[key].summary} Choose another"
            " task or dataset."
        )
    n_too_short = sum(not found for found in made)
    are = (
        "text is too short for {} and gives"
        if n_too_short == 1
        else "texts are too short for {} and give"
    )
    notes = [f"{n_too_short:,} {are.format(f'the task {key}')} no pair."] if n_too_short else []
    dropped = [(f"too short for the task {key}", n_too_short)] if n_too_short else []
    return replace(
        corpus,
        pairs=pairs,
        notes=(*corpus.notes, *notes),
        is_plain=False,
        task=key,
        dropped=(*corpus.dropped, *dropped),
    )


def pairs_of_task(
    pairs: Iterable[Pair], config: DataConfig, seed: int, *, is_plain: bool
) -> Iterator[Pair]:
    """The training pairs of a task, one after the other: for a dataset that is read line by line."""
    key = task_of(Corpus("", "", (), is_plain=is_plain), config)
    task = choose("task", key, TASKS)
    make = _make_of(task, is_plain=is_plain)
    for pair in pairs:
        for each in _made(make, pair, config, seed):
            yield _prefixed(each, config.prefix or task.prefix)


def _make_of(task: Task, *, is_plain: bool) -> Make:
    return task.of_plain if task.of_plain and is_plain else task.make


def _made(make: Make, pair: Pair, config: DataConfig, seed: int) -> Iterable[Pair]:
    if make is translate:  # seeding a generator for each of a million pairs takes seconds
        return (pair,)
    return make(pair, config, random.Random(f"{seed} {pair.src}").random)


def _prefixed(pair: Pair, prefix: str) -> Pair:
    return after_prefix(pair, prefix.rstrip() + " ") if prefix else pair
