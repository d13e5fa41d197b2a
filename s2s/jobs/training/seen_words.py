"""The words that a run has read in training: listed in its folder, and whether its validation pairs have others."""

from __future__ import annotations

from s2s.config import Recipe
from s2s.data import TrainingPairs
from s2s.jobs.training.initialization import InitialCheckpoint
from s2s.runs import RunFolder, source_words
from s2s.training import TrainingData


def of_training(pairs: TrainingPairs, data: TrainingData, recipe: Recipe) -> frozenset[str]:
    """The words of the sources that are trained on: not of pairs that are too long."""
    sources = [pair.src for pair in pairs.train.pairs]
    if data.train.n_dropped:
        ids = recipe.model.ids
        targets = [pair.tgt for pair in pairs.train.pairs]
        rows = zip(
            sources,
            map(ids.source, data.src_tokenizer.encode_many(sources)),
            map(ids.target, data.tgt_tokenizer.encode_many(targets)),
            strict=True,
        )
        longest = recipe.data.max_length
        sources = [text for text, *both in rows if max(map(len, both)) <= longest]
    return source_words.of_sources(sources)


def note(pairs: TrainingPairs, words: frozenset[str]) -> str:
    """One sentence where the validation pairs, being others, have no word that is not trained on; "" elsewhere."""
    if pairs.valid.hash == pairs.train.hash:
        return ""
    return source_words.coverage_note(
        [pair.src for pair in pairs.valid.pairs], words, "validation source"
    )


def keep(folder: RunFolder, words: frozenset[str], initial: InitialCheckpoint | None) -> None:
    """List the words in the run's folder, with those of the run that it starts from; where they are unknown, none."""
    before = source_words.read(initial.folder.path) if initial else frozenset()
    if before or not initial:
        source_words.write(folder.path, words | before)


def complete(folder: RunFolder, words: frozenset[str]) -> None:
    """List the words of a run that an older version started without a list."""
    if not (folder.path / source_words.FILE).exists():
        source_words.write(folder.path, words)
