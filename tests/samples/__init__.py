"""Small datasets in the formats of well-known ones, written for these tests, so that a clone needs no download.

Where `S2S_TEST_DATA` names a folder with the real ones (multi30k, cogs, e2e, hansards-align), tests read those instead.
"""

import os
from pathlib import Path

HERE = Path(__file__).parent
REAL = {
    "captions.en": "multi30k/train.en",
    "captions.de": "multi30k/train.de",
    "debates.e": "hansards-align/dev.e",
    "debates.f": "hansards-align/dev.f",
    "debates.wa": "hansards-align/dev.wa",
    "forms.tsv": "cogs/dev.tsv",
    "restaurants.csv": "e2e/devset.csv",
}


def sample(name: str) -> Path:
    """The real dataset if there is one, else the sample beside this file."""
    folder = os.environ.get("S2S_TEST_DATA")
    path = Path(folder) / REAL[name] if folder else HERE / name
    return path if path.is_file() else HERE / name


def sample_lines(name: str, n: int | None = None) -> list[str]:
    """The first lines of a dataset."""
    return sample(name).read_text(encoding="utf-8").splitlines()[:n]
