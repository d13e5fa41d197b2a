"""Sentences of a run's dataset, to search."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from s2s import settings
from s2s.config import UserError
from s2s.data import is_searchable, sources_of
from s2s.demo import EXAMPLES, held_out_sentences
from s2s.library import sharing
from s2s.questions import source_as_it_is
from s2s.runs import Run
from s2s.ui.kit import cached, vocabulary


class DatasetSentences(NamedTuple):
    """Distinct source sentences of a dataset; `problem` says why they are only those that the run itself keeps, or is
    empty.
    """

    texts: tuple[str, ...]
    problem: str = ""


def of(run: Run, most: int) -> DatasetSentences:
    """At most `most` source sentences of a run's dataset, held-out ones first; of a built-in one, those of its held-out
    splits.
    """
    may_see = sharing.may_see_data(run.folder)
    return _sentences(str(settings.home()), str(run.folder.path), most, may_see, run)


@cached.shared(max_entries=8, show_spinner="Reading the dataset …")
def _sentences(home: str, folder: str, most: int, may_see: bool, _run: Run) -> DatasetSentences:
    known = vocabulary.of(_run)
    source = str(_run.folder.about().get("source", ""))
    own = [*known.sentences]
    problem = ""
    if source_as_it_is(_run) in EXAMPLES:  # whose other sentences it was trained on
        own += held_out_sentences(source)
    elif source and may_see:
        try:
            with sharing.reading_data_of(_run.folder):
                own += _own(_run, source, most)
        except UserError as error:  # deleted, or elsewhere
            problem = str(error)
        except OSError as error:  # without the path, which is the server's
            problem = f"Its files cannot be read ({error.strerror})."
    elif source:
        problem = "Its owner has not shared the dataset."
    own = own or [*known.examples]
    return DatasetSentences(tuple(dict.fromkeys(own))[:most], problem)


def _own(run: Run, spec: str, most: int) -> list[str]:
    if not is_searchable(spec):
        raise UserError("The dataset is on another server, or too large to read here.")
    return [*islice(sources_of(spec, run.recipe.data, run.recipe.train.seed), most)]
