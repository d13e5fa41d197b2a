"""What is shipped as TOML makes rows of the declared types; TOML itself refuses a key that is there twice."""

from collections.abc import Iterable
from typing import Any, get_origin, get_type_hints

import pytest

from s2s.config import PRESETS
from s2s.data import GALLERY
from s2s.faults import MISTAKES
from s2s.pretrained import MODELS
from s2s.sizing import COMPONENT_KINDS
from s2s.words import GLOSSARY, NUMBER_NAMES

TABLES = {
    "glossary": GLOSSARY,
    "numbers": NUMBER_NAMES.values(),
    "presets": PRESETS.values(),
    "datasets": GALLERY.values(),
    "models": MODELS.values(),
    "mistakes": MISTAKES,
    "components": COMPONENT_KINDS.values(),
}


@pytest.mark.parametrize("table", TABLES)
def test_a_row_has_the_types_that_it_declares(table: str) -> None:
    rows: Iterable[Any] = TABLES[table]
    for row in rows:
        for name, hint in get_type_hints(type(row)).items():
            value = getattr(row, name)
            kind = get_origin(hint) or hint
            assert isinstance(value, (int, float) if kind is float else kind), (row, name)
            if isinstance(value, tuple):
                assert all(isinstance(each, str) for each in value), (row, name)
