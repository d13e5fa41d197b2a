import itertools
import json
import re
import tomllib
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from s2s.config import Recipe, TokenizerConfig, override
from s2s.data import PROFILE_SECTIONS
from s2s.files import to_json
from s2s.plots.theme import luminance
from s2s.questions import tokenizer_table
from s2s.tokenizers import (
    TOKENIZERS,
    UNK,
    ComparisonRow,
    SideStatistics,
    TokenizerComparison,
    compare,
    load,
)
from s2s.ui.data import tokenizers

SRC = ["a dog runs in the park", "two dogs run, quickly", "the man's *bold* dog"] * 40
TGT = ["<b>un</b> chien court", "deux chiens courent :material/home:", "le chien & l'homme"] * 40
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def rows():
    return list(compare(SRC, TGT, SRC[:3], TGT[:3], shared=True, example=(SRC[2], TGT[0])))


def page(rows, folder, kind="bpe", vocab_size=None):
    from pathlib import Path

    import streamlit as st

    from s2s.config import Recipe, override
    from s2s.data import ProfileFolder
    from s2s.files import from_json
    from s2s.tokenizers import ComparisonRow, TokenizerComparison
    from s2s.ui.data import tokenizers

    recipe = override(Recipe(), {"tokenizer.kind": kind, "tokenizer.vocab_size": vocab_size})
    found = TokenizerComparison(from_json(tuple[ComparisonRow, ...], rows), "", "")
    st.session_state["changes"] = tokenizers.choose(found, ProfileFolder(Path(folder)), recipe)


def opened(rows, folder="k", **more):
    return AppTest.from_function(
        page, default_timeout=30, kwargs={"rows": to_json(rows), "folder": str(folder), **more}
    ).run()


def named(rows):
    return TokenizerComparison(tuple(rows), "", "").named


def test_the_recipe_is_changed_by_what_is_chosen(rows):
    screen = opened(rows)
    assert not screen.exception
    assert screen.session_state["changes"] == {
        "tokenizer.kind": "bpe",
        "tokenizer.vocab_size": None,
        "tokenizer.shared": True,
    }
    for name, row in named(rows).items():
        screen.selectbox(key="k tokenizer").set_value(name).run()
        assert not screen.exception
        assert screen.session_state["changes"] == row.changes
        assert name not in screen.selectbox(key="k tokenizer beside").options
        recipe = override(Recipe(), screen.session_state["changes"])
        assert recipe.tokenizer.kind == row.kind


def test_the_recipes_own_tokenizer_comes_first(rows):
    other = next(row for row in rows if row.kind == "unigram")
    screen = opened(rows, kind="unigram", vocab_size=other.requested_size)
    assert screen.session_state["changes"] == other.changes


def test_a_tokenizer_that_was_not_measured_stays_until_another_is_chosen(rows):
    screen = opened(rows, kind="unigram", vocab_size=123_456)
    assert not screen.exception
    assert screen.session_state["changes"] == {}
    picker = screen.selectbox(key="k tokenizer")
    assert picker.value == picker.options[0] == "unigram · 123,456 (the recipe's, not measured)"
    assert len(picker.options) == len(rows) + 1
    name = next(name for name in named(rows) if name.startswith("char"))
    picker.set_value(name).run()
    assert screen.session_state["changes"] == named(rows)[name].changes


def test_both_split_the_example(rows):
    screen = opened(rows)
    strips = [str(each.proto.body) for each in screen.get("html")]
    assert len(strips) == 4
    for body, side in zip(strips[:2], ("src", "tgt"), strict=True):
        row = next(row for row in rows if row.kind == "bpe" and row.requested_size is None)
        ids = [int(found) for found in re.findall(r"<small>(\d+)</small>", body)]
        assert ids == [index for _, index in getattr(row, side).example]


def test_the_table_has_one_row_per_tokenizer(rows):
    table = tokenizer_table(TokenizerComparison(tuple(rows), "", ""))
    names = [row[0] for row in table.rows]
    assert names == list(named(rows))
    assert {name.partition(" ")[0] for name in names} == set(TOKENIZERS)
    char = next(row for row in table.rows if row[0].startswith("char"))
    measured = next(row for row in rows if row.kind == "char").src.tokens_per_word
    assert char[[*table.columns].index("Tokens per word, source")] == measured


def test_settings_are_those_of_the_command_line(rows):
    row = next(row for row in rows if row.kind == "unigram" and row.requested_size is None)
    assert (
        tokenizers.settings(row)
        == "--set tokenizer.kind=unigram --set tokenizer.vocab_size=null --set tokenizer.shared=true"
    )
    pairs = (each.split("=") for each in tokenizers.settings(row).split(" ") if "=" in each)
    values = {key: value if key.endswith("kind") else json.loads(value) for key, value in pairs}
    assert values == row.changes


def test_markup_in_a_text_stays_text():
    body = tokenizers.strip((("<img src=x onerror=alert(1)>", 7), ("&amp;", 8), ("<unk>", UNK)))
    assert "<img" not in body
    assert "&lt;img src=x onerror=alert(1)&gt;" in body
    assert "&amp;amp;" in body
    assert body.count(tokenizers.UNKNOWN) == 1


def test_neighbors_differ_and_long_sentences_are_truncated():
    body = tokenizers.strip(tuple((f"p{n}", n + 4) for n in range(tokenizers.MAX_TOKENS + 12)))
    colours = re.findall(r"in srgb, (#\w+) ", body)
    assert len(colours) == tokenizers.MAX_TOKENS
    assert all(one != next_one for one, next_one in itertools.pairwise(colours))
    assert "and 12 more" in body


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("שלום", "rtl"),
        ("▁مرحبا abc", "rtl"),
        ("12 :abc", "ltr"),
        ("我", "ltr"),
        ("…!", "ltr"),
        ("", "ltr"),
    ],
)
def test_tokens_run_in_the_direction_of_their_script(text, way):
    cut = tuple((character, 4) for character in text)
    assert tokenizers.direction((("<unk>", UNK), *cut)) == way
    assert f'dir="{way}"' in tokenizers.strip(cut)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("colour", [*tokenizers.BACKGROUNDS, tokenizers.UNKNOWN])
def test_tokens_are_legible(theme, colour):
    """WCAG 2 asks for a contrast of 4.5."""
    colours = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"][theme]
    ground, ink, mixed = (
        bytes.fromhex(each[1:])
        for each in (colours["backgroundColor"], colours["textColor"], colour)
    )
    share = tokenizers.SHARE / 100
    behind = luminance(
        share * one + (1 - share) * other for one, other in zip(mixed, ground, strict=True)
    )
    dark, light = sorted((behind, luminance(ink)))
    assert (light + 0.05) / (dark + 0.05) >= 9


def test_names_say_both_sizes_where_they_differ():
    side = {
        "tokens_per_word": 1.0,
        "unknown_rate": None,
        "median": 1.0,
        "p95": 1,
        "longest": 1,
        "example": (),
    }
    row = ComparisonRow(
        "bpe",
        None,
        False,
        SideStatistics(vocab_size=1200, **side),
        SideStatistics(vocab_size=900, **side),
        128,
        0.0,
        0.1,
    )
    assert list(named([row])) == ["bpe · 1,200 / 900 (automatic)"]
    assert not opened([row]).exception, "one row has nothing beside it but itself"


def test_now_is_followed_when_it_changes(rows):
    screen = opened(rows)
    screen.selectbox(key="k tokenizer").set_value(
        next(name for name in named(rows) if name.startswith("word"))
    ).run()
    assert screen.session_state["changes"]["tokenizer.kind"] == "word"
    screen.session_state["k tokenizer now"] = TokenizerConfig("char")
    screen.run()
    assert screen.session_state["changes"]["tokenizer.kind"] == "bpe"


def test_both_tokenizers_split_a_sentence_of_the_visitor(tmp_path):
    folder = tmp_path / PROFILE_SECTIONS["pieces"].name("pieces", Recipe().data)
    compared = compare(
        SRC,
        TGT,
        SRC[:3],
        TGT[:3],
        shared=True,
        example=(SRC[2], TGT[0]),
        folder=folder,
    )
    rows = [row for row in compared if row.kind in ("word", "char")]
    screen = opened(rows, folder=tmp_path, kind="word")
    key = f"{tmp_path.name} tokenizer sentence"
    screen.text_input(key=key).set_value("a dog <b>\u202e zebra").run()
    assert not screen.exception
    left, right = (str(each.proto.body) for each in screen.get("html"))
    word = load(folder / rows[[row.kind for row in rows].index("word")].file("src"))
    assert left == tokenizers.strip(
        tuple(zip(word.tokens(ids := word.encode("a dog <b> zebra")), ids, strict=True))
    )
    assert right.count("<span") == len("a dog <b> zebra")
    assert "<b>\u202e" not in left
    screen.text_input(key=key).set_value("").run()
    assert "Source" in "".join(each.value for each in screen.markdown)
