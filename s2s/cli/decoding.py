"""The commands that use trained runs: `translate`, `score`, `evaluate` and `compare`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from s2s.config import UserError, parse_assignments, shortened

if TYPE_CHECKING:  # torch takes seconds to import; --help and mistakes should not
    from s2s.runs import Decoded, Run
    from s2s.scores import References, Scoring


def translate(arguments: argparse.Namespace) -> None:
    """Translate standard input line by line."""
    from s2s.data import one_line
    from s2s.decode import configure
    from s2s.faults import fault_of

    settings = parse_assignments(arguments.set)
    if arguments.n_best is not None:
        if arguments.n_best < 1:
            raise UserError(
                f"`--n-best` {arguments.n_best} is not a number of translations; give 1 or more."
            )
        settings = {"num_return_sequences": arguments.n_best} | settings
    configure(arguments.strategy, settings)
    run = _in_languages(open_run(arguments.run, arguments.checkpoint), arguments)
    if fault := fault_of(run.recipe.train.fault):
        print(f"This run was trained with a fault, on purpose: {fault.title}.", file=sys.stderr)
    lines = _stdin_lines()
    found = _translated(run, lines, arguments, settings)
    _name_unknown(run, [one.source for one in found])
    for number, one in enumerate(found, 1):
        if arguments.json:
            print(json.dumps(one.to_json(arguments.n_best), ensure_ascii=False))
        elif arguments.n_best:
            rows = [
                (hypothesis.score, hypothesis.text)
                for hypothesis in one.hypotheses[: arguments.n_best]
            ] or [(0.0, "")]
            for value, text in rows:
                print(f"{number}\t{value:.4f}\t{one_line(text)}")
        else:
            # A byte model may generate a line break, but one line must stay one.
            print(one_line(one.text))


def _translated(
    run: Run, sources: list[str], arguments: argparse.Namespace, settings: dict[str, Any]
) -> list[Decoded]:
    from s2s.runs import parallel
    from s2s.training import cores

    if arguments.processes is not None and arguments.processes < 1:
        raise UserError(
            f"`--processes` {arguments.processes} is not a number of processes; give 1 or more, or leave it out."
        )
    return parallel.translate(
        run,
        sources,
        arguments.strategy,
        settings,
        arguments.processes or parallel.processes_for(len(sources), cores()),
    )


def _name_unknown(run: Run, sources: Sequence[str]) -> None:
    from s2s.runs import source_words

    for note in source_words.unknown_notes(run, sources):
        print(note, file=sys.stderr)


def score(arguments: argparse.Namespace) -> None:
    """Print the log-probability of each target line, in nats."""
    sources, targets = _aligned(arguments.src, arguments.tgt)
    run = _in_languages(open_run(arguments.run, arguments.checkpoint), arguments)
    for value in run.score(sources, targets):
        print(f"{value:.6f}")


def evaluate(arguments: argparse.Namespace) -> None:
    """Translate a test set and score the translations; the last line is one JSON object."""
    from s2s.decode import configure
    from s2s.jobs import forced_scores, forced_signature, provenance
    from s2s.runs import source_words
    from s2s.scores import METRIC_NAMES, score_all
    from s2s.words import FRACTIONS

    settings = parse_assignments(arguments.set)
    configure(arguments.strategy, settings)
    asked = _scoring(arguments)
    sources, references = _test_set(arguments)
    scoring = _resolved(asked, references)
    run = _in_languages(open_run(arguments.run, arguments.checkpoint), arguments)
    started = time.perf_counter()
    found = _translated(run, sources, arguments, settings)
    seconds = time.perf_counter() - started
    _name_unknown(run, [one.source for one in found])
    texts = [one.text for one in found]
    scores = score_all(texts, references, scoring)
    forced = forced_scores(
        [
            (one.log_prob, one.n_tokens, one.n_correct)
            for one in run.force(sources, [each[0] for each in references])
        ]
    )
    for key, value in (*((key, score.value) for key, score in scores.items()), *forced.items()):
        name = METRIC_NAMES[key]
        shown = 100 * value if key in FRACTIONS else value
        print(f"{name.label:14} {shown:8.2f}  {name.help}")
    note = source_words.coverage_of(run, sources)
    if note:
        print(note, file=sys.stderr)
    summary = {
        "n": len(sources),
        **{key: value.value for key, value in scores.items()},
        **forced,
        "signature": {key: value.signature for key, value in scores.items()}
        | dict.fromkeys(forced, forced_signature(run)),
        "strategy": {
            "name": arguments.strategy,
            **run.configured(arguments.strategy, settings)[1].to_json(),
        },
        "notes": [note] if note else [],
        "seconds": seconds,
        "provenance": {**provenance.of_run(run), **provenance.environment()},
    }
    print(json.dumps(summary))


def compare(arguments: argparse.Namespace) -> None:
    """Score two runs on one test set, with paired tests of their difference; the last line is one JSON object."""
    from s2s.decode import configure
    from s2s.jobs import SystemScores, provenance

    settings = parse_assignments(arguments.set)
    configure(arguments.strategy, settings)
    asked = _scoring(arguments)
    sources, references = _test_set(arguments)
    scoring = _resolved(asked, references)
    names = (arguments.baseline, arguments.run)
    runs = [_in_languages(open_run(name), arguments) for name in names]
    tallies = []
    for run in runs:
        found = _translated(run, sources, arguments, settings)
        _name_unknown(run, [one.source for one in found])
        tallies.append(SystemScores(scoring))
        tallies[-1].add([{"text": one.text} for one in found], references)
    baseline = tallies[0].compared(None)
    system = tallies[1].compared(tallies[0])
    _print_comparison(baseline["scores"], system)
    summary = {
        "n": len(sources),
        "systems": [
            {"run": name, "scores": scores["scores"], "provenance": provenance.of_run(run)}
            for name, scores, run in zip(names, (baseline, system), runs, strict=True)
        ],
        "paired": system["paired"],  # the second run minus the first
        "signature": system["signature"],
        "strategy": {
            "name": arguments.strategy,
            **runs[1].configured(arguments.strategy, settings)[1].to_json(),
        },
        "provenance": provenance.environment(),
    }
    print(json.dumps(summary))


def _print_comparison(baseline: dict[str, Any], system: dict[str, Any]) -> None:
    from s2s.scores import METRIC_NAMES, SIGNIFICANT, differs

    print(f"{'':19} {'A':>8} {'B':>8} {'B - A':>8}  {'95 % interval':18}      p")
    for key, pair in system["paired"].items():
        values = (baseline[key]["value"], system["scores"][key]["value"])
        interval = f"{pair['low']:+.2f} to {pair['high']:+.2f}"
        print(
            f"{METRIC_NAMES[key].label:19} {values[0]:8.2f} {values[1]:8.2f} {pair['difference']:+8.2f}  {interval:18}"
            f"  {pair['p_randomization']:.3f}{' *' * differs(pair)}"
        )
    print(
        "Interval: paired bootstrap. p: approximate randomization, two-sided."
        f" *: the interval excludes 0 and p < {SIGNIFICANT}."
    )


def _scoring(arguments: argparse.Namespace) -> Scoring:
    from s2s.scores import Scoring, require_tokenizer

    asked = Scoring(
        arguments.bleu_tokenize,
        arguments.lowercase,
        arguments.chrf_words,
        arguments.rouge_tokenize,
        arguments.stemmer,
    )
    require_tokenizer(asked.tokenize)
    return asked


def _resolved(asked: Scoring, references: References) -> Scoring:
    from s2s.scores import AUTO, DEFAULT_TOKENIZER, tokenizer_of

    if asked.tokenize == AUTO:
        chosen = tokenizer_of(references)
        if chosen.is_mixed or chosen.name != DEFAULT_TOKENIZER:
            print(f"BLEU's tokenizer is {chosen.name}: {chosen.reason}.", file=sys.stderr)
    return asked.resolved(references)


def _test_set(arguments: argparse.Namespace) -> tuple[list[str], Sequence[Sequence[str]]]:
    from s2s.jobs import test_sets

    if arguments.table:
        return _table(arguments)
    if not (arguments.src and arguments.ref):
        name = arguments.command.__name__
        raise UserError(f"`{name}` needs --src and --ref, or --table; see `{name} --help`.")
    first, *others = arguments.ref
    sources, references = _aligned(arguments.src, first)
    more = [(name, _aligned(arguments.src, name)[1]) for name in others]
    pairs = tuple(zip(sources, references, strict=True))
    every = test_sets.with_more_references(pairs, more, first)
    if arguments.group:
        pairs, every = test_sets.grouped(
            [(source, one) for (source, _), each in zip(pairs, every, strict=True) for one in each]
        )
    return [source for source, _ in pairs], every


def _table(arguments: argparse.Namespace) -> tuple[list[str], Sequence[Sequence[str]]]:
    from s2s.data import is_table
    from s2s.jobs import test_sets

    name = arguments.table
    if arguments.src or arguments.ref:
        raise UserError("`--table` has sources and references; leave out --src and --ref.")
    path = Path(name)
    if not is_table(name) or not path.is_file():
        raise UserError(
            f"`--table` {shortened(name)} is not a table that exists; give a .tsv, .csv, .jsonl, .json, .parquet or"
            " .tmx file."
        )
    found = test_sets.table(path.name, path.read_bytes())
    for note in filter(None, (*found.notes, found.repeats)):
        print(note, file=sys.stderr)
    pairs, references = test_sets.grouped_references(found.pairs, found.references)
    return [source for source, _ in pairs], references


def open_run(name: str, checkpoint: str = "") -> Run:
    """Opens a run at a checkpoint, with a note on stderr where another one had to be opened."""
    from s2s.library.checkpoints import load
    from s2s.model import keep_freed_memory

    keep_freed_memory()
    run = load(name, checkpoint)
    for note in run.notes:
        print(note, file=sys.stderr)
    return run


def _in_languages(run: Run, arguments: argparse.Namespace) -> Run:
    return run.in_languages(arguments.src_lang, arguments.tgt_lang)


def _stdin_lines() -> list[str]:
    from s2s.data import decode_lines

    return decode_lines(sys.stdin.buffer.read(), "standard input")


def _aligned(left: str, right: str) -> tuple[list[str], list[str]]:
    from s2s.data import read_aligned

    return read_aligned(left, right)
