"""The figures of the house may only fall; a rise stands in the file with the feature that is worth it."""

import io
import tokenize
from pathlib import Path

import pytest

from tests import ratchet

KINDS = (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING)


def test_no_figure_rises() -> None:
    values = {name: float(str(row["value"])) for name, row in ratchet.recorded().items()}
    assert ratchet.differences(ratchet.measure(), values) == []


def test_a_rise_and_an_unrecorded_fall_are_named() -> None:
    rise, fall = ratchet.differences(
        {"files": 101, "lines": 980, "tokens": 995}, {"files": 100, "lines": 1000, "tokens": 1000}
    )
    assert rise.startswith("files rose from 100 to 101")
    assert fall.startswith("lines fell from 1,000 to 980")


def test_a_rise_is_written_down_with_its_feature_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ratchet, "FILE", tmp_path / "ratchet.json")
    for n_files, feature, status in ((10, "", 0), (12, "", 2), (12, "A plot", 0), (9, "", 0)):
        monkeypatch.setattr(ratchet, "measure", lambda n_files=n_files: {"files": n_files})
        assert ratchet.main(feature) == status
    assert ratchet.recorded() == {"files": {"value": 9, "raised for": ["A plot"]}}


@pytest.mark.parametrize(
    "name",
    ["s2s/links/share.py", "s2s/model/masks.py", "s2s/cli/parser.py", "s2s/scores/scoring.py"],
)
def test_tokens_are_those_of_python(name: str) -> None:
    text = (ratchet.ROOT / name).read_text().replace('f"', '"').replace("f'", "'")
    rows = tokenize.generate_tokens(io.StringIO(text).readline)
    expected = [(row.string, row.start[0]) for row in rows if row.type in KINDS]
    found = ratchet.tokens(text)
    assert found.texts == [string for string, _ in expected]
    assert found.n_lines == len({line for _, line in expected})
