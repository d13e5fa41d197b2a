import re

import pytest
from streamlit.testing.v1 import AppTest

import s2s
from s2s.config import override
from s2s.decode import Beam
from s2s.decode.tree import rerank
from s2s.links.share import unpack
from s2s.runs import Run
from s2s.ui.kit import four_digits
from tests.screen import html_table, opened, page_text, translation

SOURCE = "the cat who chased the mouse was black"
LAZY = "the teachers who saw the queens who painted the church are lazy"
SET = "strategy:beam,num_beams:5"


def ranking(screen: AppTest) -> list[dict[str, str]]:
    """The table of finished hypotheses."""
    return html_table(screen, "tokens, with </s>")


def test_the_slider_ranks_the_finished_ones_and_decodes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = s2s.load("demo-en-fr")
    (found,) = run.translate([SOURCE], num_beams=5)
    tree = run.tree(found, num_beams=5)
    screen = opened("steps", src=SOURCE, set=SET)
    table = ranking(screen)  # without a change, order and scores are those of the search
    assert table[0]["text"] == found.text
    assert [row["score (nats / length)"] for row in table][:5] == [
        four_digits(one.score) for one in found.hypotheses
    ]
    assert [row["as decoded"] for row in table] == [str(n) for n in range(1, len(table) + 1)]
    monkeypatch.setattr(Run, "translate", None)
    monkeypatch.setattr(Run, "tree", None)
    for penalty in (-2.0, 0.0):
        screen.slider(key="steps rank_penalty").set_value(penalty).run()
        assert not screen.exception
        ranked = rerank(tree, override(Beam(num_beams=5), {"length_penalty": penalty}))
        table = ranking(screen)
        unit = f"nats / length^{penalty:g}".replace("-", "−") if penalty else "nats"
        assert [row[f"score ({unit})"] for row in table] == [
            four_digits(score) for _, score in ranked
        ]
        assert [row["tokens, with </s>"] for row in table] == [
            str(len(tree.ids(number))) for number, _ in ranked
        ]
        first = run.tgt_tokenizer.decode(tree.ids(ranked[0][0]))
        assert table[0]["text"] == first
        assert unpack(screen.session_state["set"])["rank_penalty"] == f"{penalty:g}"


def test_log_probabilities_are_the_models_own_whatever_the_search_adds() -> None:
    settings = {"strategy": "diverse_beam", "num_beams": 4, "num_beam_groups": 2}
    packed = ",".join(f"{key}:{value}" for key, value in settings.items())
    (found,) = s2s.load("demo-en-fr").translate([SOURCE], **settings)
    own = {one.text: four_digits(one.log_prob) for one in found.hypotheses}
    table = ranking(opened("steps", src=SOURCE, set=packed))
    shown = {row["text"]: row["log-probability (nats)"] for row in table}
    assert {text: shown[text] for text in own if text in shown}.items() <= own.items()
    assert shown.keys() & own.keys()


def test_decoding_with_the_rankings_setting_puts_it_into_the_search() -> None:
    screen = opened("steps", src=SOURCE, set=f"{SET},rank_penalty:0.3,rank_formula:gnmt")
    assert "Decoding again with this setting may find other hypotheses" in page_text(screen)
    screen.button(key="decode so").click().run()
    assert not screen.exception
    held = unpack(screen.session_state["set"])
    assert (held["length_penalty"], held["length_formula"]) == ("0.3", "gnmt")
    assert not {"rank_penalty", "rank_formula"} & set(held)
    (found,) = s2s.load("demo-en-fr").translate(
        [SOURCE], num_beams=5, length_penalty=0.3, length_formula="gnmt"
    )
    unit = "nats / ((5 + length) / 6)^0.3"
    assert [row[f"score ({unit})"] for row in ranking(screen)][:5] == [
        four_digits(one.score) for one in found.hypotheses
    ]


def test_strategies_without_a_length_penalty_have_a_table_and_no_slider() -> None:
    screen = opened("steps", src=SOURCE, set="strategy:sample,num_return_sequences:6")
    assert not screen.exception
    assert not screen.slider
    table = ranking(screen)
    assert sum(int(row["times drawn"]) for row in table) == 6
    scores = [float(row["score (nats)"].replace("−", "-")) for row in table]
    assert scores == sorted(scores, reverse=True)


def test_the_page_says_at_which_length_penalty_another_hypothesis_wins() -> None:
    screen = opened("steps", src=LAZY, set=SET)
    button = screen.button(key="steps raise length_penalty")
    before = ranking(screen)[0]["text"]
    (penalty,) = re.findall(r"Decode with ([\d.]+)", button.label)
    (other,) = re.findall(rf"From {penalty} on, \*(.*)\* \(\d+ tokens\)", page_text(screen))
    button.click().run()
    assert not screen.exception
    assert screen.number_input(key="steps beam length_penalty").value == float(penalty)
    assert ranking(screen)[0]["text"] == other != before
    assert translation(screen) == other
