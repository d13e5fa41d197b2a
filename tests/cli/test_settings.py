"""`python -m s2s settings`: what is declared is what is listed, and what docs/settings.md says."""

import json
import re
from pathlib import Path

import pytest

from s2s.cli import main, settings_list
from s2s.config import Recipe, UserError, json_or_text, override, settings_of
from s2s.decode import STRATEGIES, configure

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"


def test_the_page_is_made_from_the_declarations(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "--markdown"]) == 0
    written = "python -m s2s settings --markdown > docs/settings.md"
    assert capsys.readouterr().out == PAGE.read_text(encoding="utf-8"), written


def test_every_setting_is_listed_with_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    helps = {(row["key"], row["help"]) for row in rows}
    for config in (Recipe, *(row.config for row in STRATEGIES.values())):
        assert {(key, info.help) for key, info in settings_of(config).items()} <= helps
    assert all(row["range"] and row["default"] and row["help"] for row in rows)


@pytest.mark.parametrize("row", [*settings_list.every_setting()], ids=lambda row: row.key)
def test_a_default_can_be_set_as_it_is_listed(row: settings_list.SettingRow) -> None:
    text = "" if row.default == "(empty)" else row.default
    changes = {row.key: json_or_text(text)}
    if row.of == "recipe":
        assert override(Recipe(), changes) == Recipe()
        return
    names = STRATEGIES if row.of == settings_list.EVERY_STRATEGY else row.of.split(", ")
    for name in names:
        assert configure(name, changes)[1] == STRATEGIES[name].config()


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("train.steps", ["train.steps"]),
        ("steps", ["train.steps"]),
        ("seed", ["train.seed", "seed"]),
        ("model.d_ff", ["model.encoder.d_ff", "model.decoder.d_ff"]),
        ("model.output", ["model.output.tied", "model.output.bias", "model.output.scaled"]),
        ("num_beams", ["num_beams"] * 3),
    ],
)
def test_a_name_is_a_key_its_end_a_group_or_a_shorthand(name: str, keys: list[str]) -> None:
    assert [row.key for row in settings_list.named(name)] == keys


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_strategy_has_exactly_the_settings_that_it_takes(strategy: str) -> None:
    found = sorted(row.key for row in settings_list.named(strategy))
    assert found == sorted(settings_of(STRATEGIES[strategy].config))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["train.stepz"], "no setting `train.stepz`; the nearest are `train.steps`"),
        (["num_beam"], "no setting `num_beam`; the nearest are `num_beams`"),
        ([""], "no setting ``"),
        (["a" * 5000], "no setting `a+…`"),
        (["train", "--markdown"], "writes every setting; leave out the NAME"),
        (["train", "data"], "Unrecognized arguments: data; see"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(["settings", *arguments])
    except SystemExit as end:
        status = int(end.code or 0)
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert re.search(sentence, err), err


def test_a_range_is_the_one_that_is_checked() -> None:
    (row,) = settings_list.named("data.clean.max_ratio")
    assert row.range == "a number, 1 to 1,000, or null"
    for wrong in (0.99, 1000.1, "two"):
        with pytest.raises(UserError):
            override(Recipe(), {row.key: wrong})
