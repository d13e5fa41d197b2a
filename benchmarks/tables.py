"""`python -m benchmarks.tables`: write every table of figures again, from the files in benchmarks/results, and the
table of the command line's options.

In README.md, benchmarks/*.md and docs/*.md the lines between `<!-- figures: NAME ... -->` and `<!-- end of figures -->`
are replaced by what the row of TABLES of that name makes of the other words. `--check` only tells which files differ.
"""

from __future__ import annotations

import argparse
import functools
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from benchmarks import results
from benchmarks.options import options
from benchmarks.results import ROOT, Record

FILES = ("README.md", "benchmarks/*.md", "docs/*.md")
WIDTH = 120  # characters of a line that is no table
COMPARED = ("torch", "transformers", "joeynmt", "ctranslate2", "sacrebleu")
PLACE = re.compile(r"(<!-- figures: (.+?) -->\n).*?(<!-- end of figures -->)", re.DOTALL)


class Headline(NamedTuple):
    """A row of the main figures, left out until it is measured."""

    record: str
    what: str
    result: str  # a template; its fields are those of the record's results


HEADLINES = (
    Headline(
        "train",
        "training `transformer-tiny` on Multi30k en-de, BPE 10,000, one thread, beside each peer's fastest setting",
        "{headline[rate]:,.0f} real tokens per CPU second, {headline[share]:.0f} percent of the float32 matrix-product"
        " bound; {headline[transformers]:.1f} times transformers' Marian, {headline[nn.Transformer]:.1f} times"
        " nn.Transformer, {headline[JoeyNMT]:.1f} times JoeyNMT",
    ),
    Headline(
        "decode",
        "decoding with that shape, 20 forced tokens, one thread, beside each peer's fastest setting",
        "sentences per CPU second with beam 5 and greedy in batches of 64, then one by one:"
        " {headline[rate][0]:.0f}, {headline[rate][1]:.0f}, {headline[rate][2]:.0f}, {headline[rate][3]:.0f}. That is"
        " {headline[transformers][0]:.1f}, {headline[transformers][1]:.1f}, {headline[transformers][2]:.1f} and"
        " {headline[transformers][3]:.1f} times transformers' `generate`, {headline[JoeyNMT][0]:.1f},"
        " {headline[JoeyNMT][1]:.1f}, {headline[JoeyNMT][2]:.1f} and {headline[JoeyNMT][3]:.1f} times JoeyNMT,"
        " {headline[CTranslate2][0]:.2f}, {headline[CTranslate2][1]:.2f}, {headline[CTranslate2][2]:.2f} and"
        " {headline[CTranslate2][3]:.2f} of CTranslate2 in float32",
    ),
    Headline(
        "gpu-train",
        "training `transformer-base` on one NVIDIA H100 with torch 2.11, which s2s does not support, in bfloat16 and in"
        " float32",
        "{rows[0][tokens per second]:,.0f} and {rows[3][tokens per second]:,.0f} real tokens per second; {rows[1][ours"
        " is x]:.2f} and {rows[4][ours is x]:.2f} times transformers' Marian, {rows[2][ours is x]:.2f} and"
        " {rows[5][ours is x]:.2f} times nn.Transformer",
    ),
    Headline(
        "quality-en-de",
        "`transformer-tiny` by the recipe of Wu et al. 2021 on Multi30k en-de, 8,000 updates without early stopping"
        " (theirs stops), one seed; flickr2016",
        "BLEU {bleu:.1f} on tokenized, lower-cased text (published: {published:.1f}) after {cpu_hours:.1f} CPU hours",
    ),
    Headline(
        "minutes",
        "the preset `quick` with a budget of minutes on Multi30k en-de, both cores; flickr2016, tokenized, lower-cased,"
        " mean of {summary[0][seeds]} seeds (range)",
        "{headline}",
    ),
    Headline("minutes-amd", "`quick` as in the row above, without AMX", "{headline}"),
    Headline("minutes-75", "`quick` as in the row above, one seed", "{headline}"),
    Headline(
        "minutes-75-averaged",
        "the same with the post-norm shape of `transformer-tiny`, an inverse square root schedule and the last 15"
        " checkpoints averaged, as `quick` chooses since",
        "{headline}",
    ),
    Headline(
        "minutes-75-quick",
        "the same chosen by `quick` itself, two seeds, beside other work: mean (range)",
        "{headline}",
    ),
    Headline(
        "builtin-en-fr",
        "`small` on generated `en-fr`, three seeds: percent exact match, mean (range)",
        "random {en-fr[over_seeds][random]}, unseen adjective-noun pairs {en-fr[over_seeds][unseen]}, correct agreement"
        " across a relative clause {en-fr[over_seeds][agrees]}, both senses of *bank* {en-fr[over_seeds][banks]},"
        " deeper clauses than trained on {en-fr[over_seeds][deep]}",
    ),
    Headline(
        "memorize",
        "`first-steps` from the command line; `mini-t5` on `mini-en-fr`; `char-halves` on a text of 1,000 characters",
        "both phrases correct with {first-steps[perfect]} of {first-steps[seeds]} seeds, at most"
        " {first-steps[slowest_seconds]:.1f} s; {mini-t5[right]} of {mini-t5[of]} in {mini-t5[seconds]:.0f} s;"
        " {char-halves[right]} of {char-halves[of]}",
    ),
    Headline(
        "demos",
        "the shipped demos, percent exact match on new sources (on combinations never seen in training)",
        "`demo-en-fr` {demo-en-fr[random]:.1f} ({demo-en-fr[unseen]:.1f}), `demo-en-es` {demo-en-es[random]:.1f}"
        " ({demo-en-es[unseen]:.1f}); `demo-tasks`: translate {demo-tasks[translate][random]:.1f}"
        " ({demo-tasks[translate][unseen]:.1f}), summarize {demo-tasks[summarize][random]:.1f}"
        " ({demo-tasks[summarize][unseen]:.1f}), respond {demo-tasks[respond][random]:.1f}"
        " ({demo-tasks[respond][unseen]:.1f}), reverse {demo-tasks[reverse][random]:.1f}"
        " ({demo-tasks[reverse][unseen]:.1f})",
    ),
    Headline(
        "everyday",
        "`demo-en-de`, {parameters:,} parameters, on 1,000 sentences of Tatoeba that share no source and no target with"
        " its training pairs, all references",
        "BLEU {beam[bleu][value]:.1f} ({beam[bleu][low]:.1f} to {beam[bleu][high]:.1f}), chrF {beam[chrf][value]:.1f}"
        " with a beam of 5; BLEU {greedy[bleu][value]:.1f} with greedy search",
    ),
    Headline(
        "pretrained",
        "opening a model of T5-small's shape; beam 5 with 64 sources and 20 forced tokens beside transformers'"
        " `generate` on the same weights, shapes of T5-small, OPUS-MT and BART-base",
        "{import[seconds]:.1f} s and {import[peak_gb]:.2f} GB, then 20 tokens with 4 beams in"
        " {import[translation_seconds]:.2f} s; {race[0][ratio]:.1f}, {race[1][ratio]:.1f} and {race[2][ratio]:.1f}"
        " times `generate` in float32, {race[0][fast ratio]:.1f}, {race[1][fast ratio]:.1f} and"
        " {race[2][fast ratio]:.1f} times with `precision=fast`",
    ),
    Headline(
        "press",
        "from clicking Train on `mini-en-fr` to the first line of metrics, medians of {rounds}",
        "{median[warm]:.1f} s with a warm worker, {median[cold]:.1f} s when only the dashboard is running",
    ),
    Headline(
        "upload",
        "a CSV of 20,000 rows and 5 columns, from the file dialog to the first training step, median of {rounds}",
        "{median[clicks]:.0f} clicks, {median[all]:.0f} s",
    ),
    Headline(
        "app",
        "{sessions} visitors, one action per 5 s each, while a run trains",
        "response time of a page: median {training[p50]:.2f} s, p95 {training[p95]:.2f} s; dashboard, worker and"
        " training together {training[MB]:,.0f} MB at most (PSS)",
    ),
    Headline(
        "hosted",
        "a hosted server with {crowd[people]} people, each in a workspace, while a run trains",
        "response time p50 {crowd[p50 s]:.2f} s, p95 {crowd[p95 s]:.2f} s; {crowd[per session MB]:.1f} MB per person",
    ),
    Headline(
        "classroom",
        "{students} students click Train within a minute during a long run, 5 others visit",
        "first point of the curve p50 {headline[first point]:.1f} s, last run done after {headline[last done]:.0f} s,"
        " page response p50 {headline[page p50]:.2f} s, p95 {headline[page p95]:.2f} s",
    ),
    Headline(
        "classroom-200",
        "{students} students open one short link within a minute during a long run, {browsers} of them in Chromium;"
        " {trainings} of them then train",
        "{opened} have the page, p50 {headline[p50]:.1f} s, p95 {headline[p95]:.1f} s, in Chromium"
        " {headline[chromium]:.1f} s at most; {done} of {trainings} runs are done, the last after"
        " {headline[last done]:.0f} s, and until they start their pages say in how many minutes",
    ),
    Headline(
        "beside_pages",
        "a training with a time budget on the same two cores as a browser that reruns Attention without pause",
        "the training keeps {share:.2f} of its quiet speed, and the page's p95 is {p95 ratio:.2f} times its quiet one",
    ),
    Headline(
        "queue",
        "whole lives of a job (submitted, claimed, finished) with 2,000 waiting, one worker and 64, all on the same two"
        " cores",
        "SQLite {rows[12][per second]:.0f} and {rows[16][per second]:.0f} per second, PostgreSQL"
        " {rows[18][per second]:.0f} and {rows[22][per second]:.0f}; 64 idle workers of PostgreSQL poll"
        " {rows[23][per second]:,.0f} times per second",
    ),
    Headline(
        "queue_simulation",
        "a simulated lecture: {rushes[1][people]} people press Train within a minute, while each worker trains",
        "first point of the curve p50 {rushes[1][first point p50 s]:.0f} s with {rushes[1][workers]} worker,"
        " {rushes[3][first point p50 s]:.1f} s with {rushes[3][workers]}, {rushes[5][first point p50 s]:.1f} s with"
        " {rushes[5][workers]}",
    ),
    Headline(
        "crash",
        "{kills} SIGKILLs of worker, fork server and training processes, {runs} runs",
        "{outcome}",
    ),
)


class Range(dict[str, float]):
    """Mean, low and high of several seeds, as `99.5 (99.4 to 99.5)`."""

    def __format__(self, form: str) -> str:
        mean, low, high = (format(self[key], form or ".1f") for key in ("mean", "low", "high"))
        return f"{mean} ({low} to {high})"


def headlines(*names: str) -> Iterator[str]:
    """The main figures, or those of these records; with where and when each was measured."""
    yield from _table(
        ["what", "result", "measured"],
        [
            [row.what.format(**fields), row.result.format(**fields), record.origin]
            for row in HEADLINES
            if (not names or row.record in names) and (record := results.read(row.record))
            for fields in [_ranges(record.results)]
        ],
    )


def _ranges(value: Any) -> Any:
    if isinstance(value, dict):
        inner = {key: _ranges(one) for key, one in value.items()}
        return Range(inner) if set(value) == {"mean", "low", "high"} else inner
    return [_ranges(one) for one in value] if isinstance(value, list) else value


def _of_record(lines: Callable[..., Iterator[str]]) -> Callable[..., Iterator[str]]:
    @functools.wraps(lines)
    def named(name: str, *words: str) -> Iterator[str]:
        record = results.read(name)
        if record is None:
            yield missing(name)
            return
        yield from lines(record, *words)
        yield from source(record)

    return named


@_of_record
def rows(record: Record, key: str = "rows") -> Iterator[str]:
    """A list of equal rows in a record, as a table, and where it is from."""
    found: Sequence[Mapping[str, Any]] = record.results[key]
    yield from _table(list(found[0]), [[_cell(one) for one in row.values()] for row in found])
    yield ""


@_of_record
def speeds(record: Record) -> Iterator[str]:
    """Of `benchmarks.train`, the fastest setting of each library; then every model's bound."""
    for model in record.results["speed"]:
        names = [
            f"`{model['model']}`",
            "tokens per CPU second (range)",
            "ours is",
            "share of the float32 bound",
            "peak MB",
        ]
        lines = [
            [
                line["trainer"],
                *_rates(line, digits=0),
                f"{line['peak MB']:,.0f}",
            ]
            for line in model["lines"]
            if line["fastest"]
        ]
        yield from _table(names, lines)
        yield ""
        yield (
            f"Bound: {model['bound']:,.0f} tokens per CPU second, from {model['MFLOP a token']:.2f} MFLOP per real"
            f" token. Other programs used {model['foreign']:.2f} cores on average."
        )
        yield ""


@_of_record
def decoders(record: Record) -> Iterator[str]:
    """Of `benchmarks.decode`, for each task: ours, and the fastest setting of each other library."""
    names = [
        "task",
        "decoder",
        "sentences per CPU second (range)",
        "ours is",
        "share of the float32 bound",
        "same targets",
    ]
    lines = [
        [
            task["task"],
            line["decoder"],
            *_rates(line, digits=1),
            "" if line["same %"] is None else f"{line['same %']:.0f} %",
        ]
        for task in record.results["speed"]
        for line in task["lines"]
        if line["fastest"] or line["library"] == "ours"
    ]
    yield from _table(names, lines)
    yield ""


def _rates(line: Mapping[str, Any], digits: int) -> Iterator[str]:
    yield f"{line['rate']:,.{digits}f} ({line['from']:,.{digits}f} to {line['to']:,.{digits}f})"
    yield f"{line['ours is x']:.2f} x"
    yield f"{line['% of bound']:.0f} %"


def missing(name: str) -> str:
    """What stands where a table will be."""
    return f"Not measured with today's code yet; `python -m benchmarks.record {name}` does."


def source(record: Record) -> Iterator[str]:
    """The lines below a table; the record has the versions of all libraries."""
    found = record.libraries
    versions = ", ".join(f"{name} {found[name]}" for name in COMPARED if name in found)
    told = f"Measured {record.origin}; {versions}: `{record.command}`.{' ' * bool(record.note)}{record.note}"
    yield from textwrap.wrap(told, WIDTH, break_long_words=False, break_on_hyphens=False)


def _table(names: Sequence[str], lines: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(names)} |"
    yield "|---" * len(names) + "|"
    for line in lines:
        yield f"| {' | '.join(line)} |"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str("" if value is None else value)


TABLES: Mapping[str, Callable[..., Iterator[str]]] = MappingProxyType(
    {
        "headlines": headlines,
        "rows": rows,
        "speeds": speeds,
        "decoders": decoders,
        "options": options,
    }
)


def filled(text: str) -> str:
    """The text with every table made again."""

    def made(found: re.Match[str]) -> str:
        name, *words = found[2].split()
        return found[1] + "\n".join(TABLES[name](*words)) + "\n" + found[3]

    return PLACE.sub(made, text)


def stale() -> dict[Path, str]:
    """The files whose tables differ from the records, with what they should say."""
    paths = chain.from_iterable(ROOT.glob(pattern) for pattern in FILES)
    found = {path: (path.read_text(encoding="utf-8")) for path in sorted(paths)}
    return {path: new for path, text in found.items() if (new := filled(text)) != text}


def main() -> None:
    """Write, or only check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit status 1 if a file differs"
    )
    check = parser.parse_args().check
    found = stale()
    for path, text in found.items():
        print(f"{path.relative_to(ROOT)} {'differs' if check else 'written'}")
        if not check:
            path.write_text(text, encoding="utf-8")
    sys.exit(check and bool(found))


if __name__ == "__main__":
    main()
