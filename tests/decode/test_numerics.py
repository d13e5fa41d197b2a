import pytest
import torch

from s2s.decode.numerics import logsumexp, row_max, topk


def test_logsumexp_is_the_log_of_the_sum_of_exponentials() -> None:
    for shape in [(1, 5), (7, 64), (3, 10_001), (40, 9_000)]:
        for shift in [0.0, 200.0, -200.0, 3e4]:
            logits = torch.randn(shape, generator=torch.Generator().manual_seed(1)) * 4 + shift
            logits[0, 0] = float("-inf")
            torch.testing.assert_close(
                logsumexp(logits),
                logits.double().logsumexp(1, keepdim=True).float(),
                rtol=1e-6,
                atol=2e-6,
            )


def test_the_best_are_those_of_topk() -> None:
    for columns in [3, 64, 65, 1_000, 10_001]:
        for n in [1, 2, 10, 64]:
            scores = torch.randn(6, columns, generator=torch.Generator().manual_seed(2))
            scores[1, ::2], scores[2] = float("-inf"), 0.25
            values, places = topk(scores, n)
            expected = scores.topk(min(n, columns), 1).values
            torch.testing.assert_close(values, expected, rtol=0, atol=0)
            torch.testing.assert_close(scores.gather(1, places), expected, rtol=0, atol=0)
            for row in places.tolist():
                assert len(set(row)) == len(row)


@pytest.mark.parametrize("columns", [3, 64, 65, 1_000, 10_001])
def test_the_highest_is_the_first_of_equals(columns: int) -> None:
    scores = torch.randn(6, columns, generator=torch.Generator().manual_seed(3))
    scores[1, 2] = scores[1, columns - 1] = 99.0
    scores[2] = 0.5
    scores[3, columns - 1] = 99.0
    values, places = row_max(scores)
    assert places.tolist() == [row.index(max(row)) for row in scores.tolist()]
    torch.testing.assert_close(values, scores.amax(1), rtol=0, atol=0)
