"""What is shipped as TOML makes rows of the declared types; TOML itself refuses a key that is there twice."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_origin, get_type_hints

import pytest

from s2s.config import PRESETS, shipped, shipped_rows
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


def test_rows_are_read_when_first_asked_for_and_made_once(tmp_path: Path) -> None:
    module = str(tmp_path / "module.py")
    rows = shipped_rows(module, "rows.toml", lambda key, **row: [key, row])
    (tmp_path / "rows.toml").write_text('["é b"]\nn = 1\n[a]\n', encoding="utf-8")
    assert shipped(module, "rows.toml") == {"é b": {"n": 1}, "a": {}}
    assert dict(rows) == {"é b": ["é b", {"n": 1}], "a": ["a", {}]}
    assert [*rows] == ["é b", "a"]
    assert rows["a"] is rows["a"]
    assert "c" not in rows
    assert repr(rows) == repr(dict(rows))
