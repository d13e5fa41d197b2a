from s2s.plots import SeedScores, mean_spread


def test_every_run_its_mean_and_its_spread_are_drawn() -> None:
    rows = [
        SeedScores("lr <0.1>", (1.0, 3.0), 2.0, 1.4142),
        SeedScores("lr 0.2", (5.0,), 5.0, None),
    ]
    figure = mean_spread(rows, title="t", x_label="BLEU")
    runs, means = figure.data
    first, second = "lr &lt;0.1&gt;", "lr 0.2"
    drawn = list(zip(runs.x, runs.y, strict=True))
    assert drawn == [(1.0, first), (3.0, first), (5.0, second)]
    assert list(means.y) == [first, second]
    assert list(means.x) == [2.0, 5.0]
    assert list(means.error_x.array) == [1.4142, 0.0]
    assert list(means.customdata) == ["± 1.41", "one run"]
