import numpy as np
import pytest

from s2s.analysis.states import principal_components


@pytest.mark.parametrize("shape", [(3, 128), (20, 8), (40, 128)])
def test_it_is_the_eigenvectors_of_the_covariance(shape: tuple[int, int]) -> None:
    vectors = np.random.default_rng(1).normal(size=shape).astype(np.float32) * np.linspace(
        3, 0.1, shape[1], dtype=np.float32
    )
    found = principal_components(vectors)
    values, axes = np.linalg.eigh(np.cov(vectors.T.astype(np.float64)))  # ascending
    theirs = (vectors - vectors.mean(0)) @ axes[:, [-1, -2]]
    np.testing.assert_allclose(np.abs(found.points), np.abs(theirs), atol=1e-4)
    np.testing.assert_allclose(found.shares, values[[-1, -2]] / values.sum(), rtol=1e-5)
    signs = np.sign(found.points) * np.sign(theirs)
    assert (np.abs(signs.sum(0)) == len(vectors)).all()  # one sign an axis


def test_the_sign_is_that_of_the_largest_number_for_either_sign_of_the_svd() -> None:
    vectors = np.random.default_rng(2).normal(size=(9, 5)).astype(np.float32)
    found = principal_components(vectors).points
    assert (found[np.abs(found).argmax(0), [0, 1]] > 0).all()
    np.testing.assert_allclose(
        np.abs(principal_components(-vectors).points), np.abs(found), atol=1e-6
    )


def test_distances_survive_where_two_axes_hold_everything() -> None:
    plane = (
        np.random.default_rng(3).normal(size=(6, 2))
        @ np.linalg.qr(np.random.default_rng(4).normal(size=(16, 2)))[0].T
    )
    found = principal_components(plane.astype(np.float32))
    assert sum(found.shares) == pytest.approx(1, abs=1e-6)
    ours = np.linalg.norm(found.points[:, None] - found.points, axis=-1)
    np.testing.assert_allclose(ours, np.linalg.norm(plane[:, None] - plane, axis=-1), atol=1e-5)


@pytest.mark.parametrize(
    ("vectors", "shares"),
    [(np.ones((1, 4)), (0, 0)), (np.ones((3, 4)), (0, 0)), (np.eye(2, 4), (1, 0))],
)
def test_too_few_vectors_leave_axes_at_zero(
    vectors: np.ndarray, shares: tuple[float, float]
) -> None:
    found = principal_components(vectors.astype(np.float32))
    assert found.points.shape == (len(vectors), 2)
    assert found.shares == pytest.approx(shares, abs=1e-9)
    np.testing.assert_allclose(found.points[:, 1], 0, atol=1e-7)
