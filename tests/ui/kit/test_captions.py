import pytest

from s2s.ui.kit import four_digits, nats


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (-0.0, "0"),
        (-0.000123456, "−0.0001235"),
        (-520165.551, "−520,166"),
        (-1.5, "−1.500"),
        (-0.00002813, "−2.813 × 10⁻⁵"),
    ],
)
def test_four_significant_digits_and_a_real_zero(value: float, shown: str) -> None:
    assert four_digits(value) == shown
    assert nats(-0.001) == "0.00"
