"""Pairs from the files of a dataset's split, on the Hub or in a folder: its first rows, or a random sample of them."""

from s2s.data.repository.choice import text_columns
from s2s.data.repository.library import needs_library
from s2s.data.repository.origins import FolderOrigin, HubOrigin
from s2s.data.repository.pairs import RowOptions, budget, read_corpus
from s2s.data.repository.reading import SplitReader
