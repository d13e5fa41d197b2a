"""The Hugging Face hub, reading only: a data set's name checked, its files listed, one of them read piece by piece under limits."""

from s2s.hub.access import token, using
from s2s.hub.layout import File, Split, kind
from s2s.hub.names import check
from s2s.hub.preflight import Dataset, look_up, preflight
from s2s.hub.remote import Budget, open_file

__all__ = [
    "Budget",
    "Dataset",
    "File",
    "Split",
    "check",
    "kind",
    "look_up",
    "open_file",
    "preflight",
    "token",
    "using",
]
