"""demo-en-de, from the file of pairs to what ships: `python -m s2s.demo demo-en-de`.

Its training is kept in `S2S_HOME/demo-en-de` and goes on where it was stopped. `ship` may be called at any time: what
ships is the mean of the last checkpoints so far, rounded to 8 bits.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.make import everyday, measurements, trained
from benchmarks.make.thin import eight_bit_weights, thin_metrics
from s2s import files, settings
from s2s.analysis import mean_entropy
from s2s.config import asker, override
from s2s.data import ATTRIBUTION
from s2s.data import load as load_pairs
from s2s.demo import DEMOS, EVERYDAY
from s2s.files import stored
from s2s.jobs import training
from s2s.jobs.evaluation.loop import EvaluationLoop
from s2s.library.checkpoints import load
from s2s.model import saved_steps, weights_path, write_steps
from s2s.runs import (
    Evaluation,
    EvaluationFolder,
    RunFolder,
    Sentences,
    System,
    attention_history,
    source_words,
)
from s2s.scores import Score, all_sentence_scores, score_all
from s2s.training import averaging, checkpoint

TEST = Path(__file__).parents[2] / "s2s" / "data" / "shipped" / "everyday.en-de.tsv"
EVALUATION = settings.SHIPPED_EVALUATIONS / f"{EVERYDAY}-test"
FIRST_STEPS = 8000  # with the recipe's learning rate
LAST_LR = 7.5e-4  # of the steps after them, at the schedule's peak
BEAM = {"num_beams": 5}
LEFT_OUT = "left_out.json"
TITLE = "Everyday English to German"
FEWEST_WORDS = 6  # of a source on the card
SHOWN = 10  # good outputs on the card, and as many bad ones
LIMITS = (
    "It was trained on short everyday sentences. It often fails on names and rare words, on numbers, and on sentences"
    " of more than some twenty words. It reads one sentence at a time, in English only, and knows nothing of what was"
    " said before. Do not rely on it where a mistake would do harm."
)
MEASURED = 50  # pairs over which the entropy of attention is averaged
NOTE = "The checkpoints of the training as they were; the last one is what ships: the mean of the last ones, in 8 bits."
EARLIER = 0.15  # of the steps, after which the second system was saved


def folder() -> Path:
    """Where its data and its training are kept."""
    return settings.home() / EVERYDAY


def digest() -> str:
    """Of what decides which pairs are used for what."""
    decides = [everyday.SHA256, TEST.read_text(encoding="utf-8"), everyday.SIMPLIFIED]
    decides += [path.read_text(encoding="utf-8") for path in sorted(everyday.WORDS.glob("*.txt"))]
    return hashlib.sha256(json.dumps(decides).encode()).hexdigest()


def make() -> None:
    """Write the texts, train to the last step, and write what ships."""
    found = write_texts()
    for started in _parts():
        for event in training.run(started):
            print(f"step {event.step}", end="\r", flush=True)
    write_test(found)
    ship(RunFolder(folder() / EVERYDAY))


def write_texts() -> everyday.Everyday:
    """The training and validation pairs, to the working folder."""
    data = Path(os.environ.get("S2S_TEST_DATA") or "../shared/data") / "tatoeba"
    found = everyday.split(everyday.read(data))
    for name, pairs in (("train", found.train), ("valid", found.valid)):
        for side, language in enumerate(everyday.LANGUAGES):
            text = "".join(f"{pair[side]}\n" for pair in pairs)
            files.write_text(folder() / "data" / f"{name}.{language}", text)
    counts = {"rude": found.n_rude, "private": found.n_private}
    files.write_json(folder() / "data" / LEFT_OUT, counts)
    return found


def write_test(found: everyday.Everyday) -> None:
    """The test set, to where it ships: once the model that goes with it is trained."""
    rows = ("\t".join((source, *references)) for source, references in found.test)
    files.write_text(TEST, "".join(f"{row}\n" for row in rows))


def _parts() -> Iterator[training.PreparedRun]:
    run = folder() / EVERYDAY
    if not saved_steps(run / "checkpoints"):
        train, valid = (
            ",".join(str(folder() / "data" / f"{name}.{each}") for each in everyday.LANGUAGES)
            for name in ("train", "valid")
        )
        recipe = override(trained.recipe_of(EVERYDAY), {"train.steps": FIRST_STEPS})
        request = training.RunRequest(recipe, train, valid, preset="small", name=EVERYDAY)
        yield training.start(request, run)
    steps = trained.recipe_of(EVERYDAY).train.steps
    for more in (training.Continuation(), training.Continuation(steps, LAST_LR)):
        with contextlib.suppress(training.RunFinishedError):
            yield training.resume(run, more)


def ship(run: RunFolder) -> None:
    """Write the run as it ships, and what is measured of it."""
    every = run.recipe().train.watch.save_every
    newest = max(step for step in saved_steps(run.checkpoints) if step % every == 0)
    out = RunFolder(trained.RUNS / EVERYDAY)
    shutil.rmtree(out.path, ignore_errors=True)
    _write_checkpoint(run, newest, out)
    _write_about(run, out)
    for name, thin in (("metrics", thin_metrics), ("samples", iter)):
        rows = (row for row in run.lines(name) if row["step"] <= newest)
        files.write_text(out.path / f"{name}.jsonl", _lines(thin(rows)))
    tokenizer = json.loads((run.path / "tokenizer.json").read_bytes())
    files.write_json(out.path / "tokenizer.json", tokenizer | {"lowers_capitals": True})
    out.set_status("done", step=newest, steps=newest, best_step=newest)
    measurements.make(EVERYDAY)
    measurements.make_importance(EVERYDAY)
    measure_training(run)
    found = evaluate(run)
    out.write_about({**out.about(), "card": card(found)})
    print(json.dumps({key: score.value for key, score in found.scores().items()}))


def _write_about(run: RunFolder, out: RunFolder) -> None:
    about = run.about()
    sources = (folder() / "data" / "train.en").read_text(encoding="utf-8").splitlines()
    lengths = sorted(len(source.split()) for source in sources)
    counts = ("train_hash", "valid_hash", "n_train", "n_valid", "n_dropped")
    data: dict[str, Any] = {key: about["data"][key] for key in counts}
    data["reads"] = "sentences"
    data["longest"] = lengths[len(lengths) * 99 // 100]
    left_out = json.loads((folder() / "data" / LEFT_OUT).read_bytes())
    data["notes"] = [
        f"Trained on {data['n_train']:,} pairs of {everyday.FILE} (sha256 {everyday.SHA256}), by python -m s2s.demo"
        f" {EVERYDAY}; {data['n_valid']:,} others were for validation. Left out before: {left_out['rude']:,} pairs with"
        f" a word of benchmarks/make/rude_words.*.txt, and {left_out['private']:,} with an address."
    ]
    kept = ("format", "created", "name", "preset", "versions", "machine", "changes")
    count = trained.recipe_of(EVERYDAY).train.average_last
    recipe = override(run.recipe(), {"train.average_last": count})
    out.write_about(
        {key: about[key] for key in kept}
        | {"owner": asker.LOCAL, "source": DEMOS[EVERYDAY], "valid": None, "data": data}
        | {"attribution": ATTRIBUTION, "recipe": recipe.to_json()}
    )
    source_words.write(out.path, source_words.of_sources(sources))


def _write_checkpoint(run: RunFolder, step: int, out: RunFolder) -> None:
    recipe = trained.recipe_of(EVERYDAY).train
    earlier = averaging.due(
        run.checkpoints, count=recipe.average_last - 1, every=recipe.watch.save_every, before=step
    )
    means, broken = averaging.mean(
        run.checkpoints, earlier, checkpoint.trained(run.checkpoints, step)
    )
    if broken:
        raise OSError(" ".join(broken))
    write_steps(weights_path(out.checkpoints, step), *eight_bit_weights(means))


def measure_training(run: RunFolder) -> None:
    """The attention of one pair, and what the heads do, at a few checkpoints; the last one is the one that ships."""
    shipped = load(EVERYDAY)
    every = run.recipe().train.watch.save_every
    steps = {max(1, round(shipped.step / 2**halvings / every)) * every for halvings in range(8)}
    pairs = load_pairs(DEMOS[EVERYDAY]).pairs[:MEASURED]
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / EVERYDAY
        shutil.copytree(run.path, place, ignore=shutil.ignore_patterns("checkpoints"))
        (place / "checkpoints").mkdir()
        for step in sorted(steps):
            trained_then = shipped.folder if step == shipped.step else run
            path = weights_path(trained_then.checkpoints, step)
            shutil.copy(path, place / "checkpoints")
            then = load(place, step)
            maps = [then.attention(pair.src, pair.tgt) for pair in pairs]
            saved = attention_history.SavedAttention(step, pairs[0].src, pairs[0].tgt, maps[0])
            attention_history.save(shipped.folder, saved)
            entropy = np.round(mean_entropy([each.cross for each in maps]), 5).tolist()
            line = {"kind": "attention", "step": step, "entropy": entropy, "n_pairs": len(pairs)}
            lines.append(line)
        measurements.ship_history(EVERYDAY, load(place), NOTE)
    for line in lines:
        shipped.folder.log("metrics", line)


class TestResult(NamedTuple):
    """The test set with the translations by beam search."""

    sources: list[str]
    references: list[tuple[str, ...]]
    outputs: list[str]

    def scores(self) -> dict[str, Score]:
        """Every metric, over all sentences."""
        return score_all(self.outputs, self.references)


def evaluate(run: RunFolder) -> TestResult:
    """Translate the test set with the shipped weights and an earlier checkpoint; writes the evaluation that ships."""
    shipped = load(EVERYDAY)
    test = load_pairs(DEMOS[EVERYDAY]).pairs
    sources = [pair.src for pair in test]
    references = [(pair.tgt, *pair.more) for pair in test]
    step = _earlier(shipped.step, run.recipe().train.watch.save_every)
    systems = (
        System(f"after {step:,} of {shipped.step:,} steps, beam", uploaded="earlier.txt"),
        System("greedy", EVERYDAY, shipped.step, "greedy"),
        System("beam", EVERYDAY, shipped.step, "beam", BEAM),
    )
    tested = Sentences(
        "everyday, test",
        split="test",
        run=EVERYDAY,
        n=len(test),
        n_all=len(test),
        notes=(ATTRIBUTION,),
    )
    shutil.rmtree(EVALUATION, ignore_errors=True)
    place = EvaluationFolder(EVALUATION)
    about = Evaluation(
        EVALUATION.name, TITLE, asker.EVERYBODY, stored.now(), EVERYDAY, tested, systems, baseline=0
    )
    place.create(about, [(pair.src, pair.tgt) for pair in test], references)
    earlier = _outputs_at(run, step, sources)
    place.add(0, ({"i": i, "text": text} for i, text in enumerate(earlier)))
    place.set_words({})
    score(place)
    outputs = [line["text"] for _, line in sorted(place.lines(2).items())]
    return TestResult(sources, references, outputs)


def score(place: EvaluationFolder) -> None:
    """Translate what is left of the test set, and score all of it. `score(EvaluationFolder(EVALUATION))` scores again
    what ships.
    """
    loop = EvaluationLoop(place, place.test(), ())
    for _ in loop.turns():
        pass
    loop.finish("done")


def _earlier(step: int, every: int) -> int:
    return max(1, round(EARLIER * step / every)) * every


def _outputs_at(run: RunFolder, step: int, sources: Sequence[str]) -> list[str]:
    with tempfile.TemporaryDirectory() as scratch:
        before = RunFolder(Path(scratch) / "earlier")
        shutil.copytree(run.path, before.path, ignore=shutil.ignore_patterns("checkpoints"))
        _write_checkpoint(run, step, before)
        before.set_status("done", step=step, steps=step, best_step=step)
        return [found.text for found in load(before.path).translate(sources, "beam", **BEAM)]


def card(found: TestResult) -> dict[str, Any]:
    """What recipe.json says for people: limits, and the best and the worst outputs of longer sentences by chrF."""
    scores = all_sentence_scores(found.outputs, found.references)
    rows = [
        (score["chrf"], source, output, references[0])
        for score, source, references, output in zip(scores, *found, strict=True)
        if len(source.split()) >= FEWEST_WORDS
    ]
    rows.sort(key=lambda row: (-row[0], row[1]))
    right = sorted(rows[: 3 * SHOWN], key=lambda row: -len(row[1]))
    return {
        "limits": [LIMITS],
        "good": [row[1:] for row in right[:SHOWN]],
        "bad": [row[1:] for row in rows[-SHOWN:]],
    }


def _lines(rows: Iterable[Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
