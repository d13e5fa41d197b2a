import pytest

import s2s
from s2s.config import override
from s2s.decode import Beam
from s2s.decode.tree import rerank
from s2s.runs import Run
from s2s.share import unpack
from tests.screen import opened, page_text

SOURCE = "the cat who chased the mouse was black"
SET = "strategy:beam,num_beams:5"


def test_the_slider_ranks_the_finished_ones_and_decodes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = s2s.load("demo-en-fr")
    (found,) = run.translate([SOURCE], num_beams=5)
    tree = run.tree(found, num_beams=5)
    screen = opened("steps", src=SOURCE, set=SET)
    monkeypatch.setattr(Run, "translate", None)
    monkeypatch.setattr(Run, "tree", None)
    for penalty in (-2.0, 0.0, 4.0):
        screen.slider(key="steps rank_penalty").set_value(penalty).run()
        assert not screen.exception
        ranked = rerank(tree, override(Beam(num_beams=5), {"length_penalty": penalty}))
        table = screen.dataframe[-1].value
        unit = f"nats / length^{penalty:g}".replace("-", "−") if penalty else "nats"
        assert list(table[f"score ({unit})"]) == pytest.approx(
            [score for _, score in ranked], abs=1e-5
        )
        assert list(table["text"]) == [
            run.tgt_tokenizer.decode(tree.ids(number)) for number, _ in ranked
        ]
        assert unpack(screen.session_state["set"])["rank_penalty"] == f"{penalty:g}"


def test_without_a_change_order_and_scores_are_those_of_the_search() -> None:
    (found,) = s2s.load("demo-en-fr").translate([SOURCE], num_beams=5)
    table = opened("steps", src=SOURCE, set=SET).dataframe[-1].value
    assert list(table["text"])[:5] == [one.text for one in found.hypotheses]
    assert list(table["score (nats / length^1)"])[:5] == pytest.approx(
        [one.score for one in found.hypotheses], abs=1e-6
    )
    assert list(table["as decoded"]) == [str(place) for place in range(1, len(table) + 1)]


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
    assert list(screen.dataframe[-1].value[f"score ({unit})"])[:5] == pytest.approx(
        [one.score for one in found.hypotheses], abs=1e-6
    )


def test_strategies_without_a_length_penalty_have_a_table_and_no_slider() -> None:
    screen = opened("steps", src=SOURCE, set="strategy:sample,num_return_sequences:6")
    assert not screen.exception
    assert not screen.slider
    table = screen.dataframe[-1].value
    assert table["times drawn"].sum() == 6
    assert list(table["score (nats)"]) == sorted(table["score (nats)"], reverse=True)
