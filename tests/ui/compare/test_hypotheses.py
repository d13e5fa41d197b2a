"""The download of all hypotheses."""

import csv
import io

import pytest

import s2s
from s2s.ui.compare import hypotheses


def test_the_download_has_every_token_of_every_hypothesis_in_full_precision() -> None:
    (found,) = s2s.load("demo-en-fr").translate(["the red house"], "beam", num_beams=3)
    rows = [*csv.DictReader(io.StringIO(hypotheses.table(found)))]
    tokens = [
        (rank, position, token, value)
        for rank, each in enumerate(found.hypotheses, 1)
        for position, (token, value) in enumerate(
            zip(each.tokens, each.token_log_probs, strict=True), 1
        )
    ]
    assert len(found.hypotheses) == 3
    for row, (rank, position, token, value) in zip(rows, tokens, strict=True):
        assert (int(row["rank"]), int(row["position"]), row["token"]) == (rank, position, token)
        assert float(row["log_prob"]) == value
        assert float(row["probability"]) == pytest.approx(2.718281828459045**value, rel=1e-12)
        assert float(row["score"]) == found.hypotheses[rank - 1].score
