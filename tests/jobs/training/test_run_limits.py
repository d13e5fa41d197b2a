import pytest

from s2s.config import Recipe, UserError
from s2s.jobs.training import run_limits


def test_checkpoints_that_would_be_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    recipe = Recipe()
    run_limits.check_disk(recipe, 1_000_000, "ann")
    monkeypatch.setenv("S2S_MAX_BYTES", "20_000_000")
    n_bytes = 1_000_000 * (4 * (recipe.train.watch.keep + 1) + 8)
    with pytest.raises(UserError, match=f"this would add {n_bytes / 1e6:.1f} MB"):
        run_limits.check_disk(recipe, 1_000_000, "ann")
