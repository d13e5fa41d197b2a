"""The page: rows come from links and go into them, and are added, copied and removed."""

import re
import shutil
from urllib.parse import parse_qs, urlsplit

import pytest
from sacrebleu import sentence_chrf
from streamlit.testing.v1 import AppTest

import s2s
from s2s.decode import STRATEGIES
from s2s.links.share import Column, unpack
from s2s.questions import NOTHING
from s2s.runs import RunFolder, runs_folder
from s2s.ui.compare import page, reference, rows
from s2s.ui.kit import cached
from tests.screen import html_table, link, lost, opened, page_text

DEMO = "demo-en-fr"
OTHER = "demo-en-es"
HOUSE = "the red house"


def bodies(screen: AppTest) -> list[str]:
    """Everything drawn as HTML."""
    return [str(each.proto.body) for each in screen.get("html")]


def texts(screen: AppTest) -> list[str]:
    """What the rows write, without what is only struck out."""
    return [row["translation"] for row in html_table(screen, "translation")]


def strategies(screen: AppTest) -> list[str]:
    """Of the rows in the link."""
    view = parse_qs(urlsplit(link(screen)).query)
    return [Column.read(view[key][0]).strategy for key in rows.KEYS if key in view]


def menu(screen: AppTest, label: str, option: str) -> AppTest:
    """After this option of a menu was chosen."""
    (found,) = (each for each in screen.get("menu_button") if each.proto.label == label)
    return found.click(option).run()


def open_row(screen: AppTest, number: int) -> AppTest:
    """After the row was opened."""
    return screen.button_group(key="compare row").set_value(str(number)).run()


def three(**more: str) -> AppTest:
    shown = {
        "c1": f"{DEMO}!greedy!",
        "c2": f"{OTHER}!beam!num_beams:2",
        "c3": f"{DEMO}!sample!seed:7,top_k:5",
    }
    return opened("compare", src=HOUSE, **shown, **more)


def own(changed: str = "") -> str:
    """A run of the visitor's own."""
    folder = runs_folder() / "mine"
    shutil.copytree(cached.DEMO_FOLDER / DEMO, folder)
    recipe = folder / "recipe.json"
    recipe.write_text(recipe.read_text().replace('"format": 1', changed or '"format": 1'))
    cached.refresh_runs()
    return folder.name


def test_a_link_brings_every_row_and_share_writes_them() -> None:
    screen = three(tgt="la casa roja")
    assert not screen.exception
    assert not lost(screen)
    fr = s2s.load(DEMO)
    es = s2s.load(OTHER)
    expected = [
        fr.translate([HOUSE], "greedy"),
        es.translate([HOUSE], num_beams=2),
        fr.translate([HOUSE], "sample", seed=7, top_k=5),
    ]
    assert texts(screen) == [found.text for (found,) in expected]
    view = {key: values[0] for key, values in parse_qs(urlsplit(link(screen)).query).items()}
    assert set(view) == {"v", "run", "src", "c1", "c2", "c3", "tgt"}
    again = opened("compare", **view)
    assert texts(again) == texts(screen)
    assert link(again) == link(screen)
    before = texts(again)
    open_row(again, 1).button(key="remove c1").click().run()  # which leaves the second its run
    assert again.session_state["run"] == OTHER
    assert texts(again) == before[1:]
    assert Column.read(again.session_state["c2"]).run == DEMO


def test_the_second_click_of_a_double_click_changes_no_other_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = 3
    changes = []
    monkeypatch.setattr(rows, "shown", lambda: rows.KEYS[: drawn - len(changes)])
    for _ in range(2):
        page._once(lambda *given: changes.append(given), drawn, "c2", DEMO)
    assert changes == [("c2", DEMO)]


def test_rows_are_added_copied_and_removed_and_stay_when_the_menu_leads_back() -> None:
    screen = opened("compare", src=HOUSE)
    assert strategies(screen) == ["beam"]
    screen.number_input(key="c1 beam num_beams").set_value(3).run()
    menu(screen, "Add a row", "greedy")
    assert strategies(screen) == ["beam", "greedy"]
    open_row(screen, 1).button(key="clone c1").click().run()
    assert strategies(screen) == ["beam", "greedy", "beam"]
    assert screen.number_input(key="c3 beam num_beams").value == 3  # the copy is open
    open_row(screen, 2).button(key="remove c2").click().run()
    assert strategies(screen) == ["beam", "beam"]
    assert screen.session_state["c1"] == screen.session_state["c2"]
    open_row(screen, 1).button(key="remove c1").click().run()
    assert strategies(screen) == ["beam"]
    assert screen.number_input(key="c1 beam num_beams").value == 3
    assert not screen.exception
    assert not lost(screen)
    for path in ("inspect/attention", "decode/compare"):  # the menu leads away and back
        screen.switch_page(f"pages/{path}.py").run()
    assert strategies(screen) == ["beam"]
    assert screen.number_input(key="c1 beam num_beams").value == 3


@pytest.mark.parametrize("run", [DEMO, "demo-en-de"])
def test_from_the_menu_three_ways_are_compared_where_greedy_and_beam_differ(run: str) -> None:
    screen = opened("compare", run=run)
    assert strategies(screen) == ["greedy", "beam", "sample"]
    greedy, beam, _ = texts(screen)
    assert greedy != beam
    for _ in range(2):
        open_row(screen, 1).button(key="remove c1").click().run()
    screen.text_input(key="src").set_value(HOUSE).run()
    shared = dict(screen.query_params)
    assert strategies(opened("compare", **shared)) == ["sample"]  # without rows it would be beam


def test_what_somebody_has_typed_stays_when_the_menu_leads_to_compare() -> None:
    screen = opened("attention", run=DEMO, src=HOUSE)
    screen.text_input(key="src").set_value("the cat is old").run()
    screen.switch_page("pages/decode/compare.py").run()
    assert screen.text_input(key="src").value == "the cat is old"


def test_samples_are_drawn_again() -> None:
    screen = opened("compare", src=HOUSE, c2=f"{DEMO}!sample!temperature:3.0,seed:4")
    before = texts(screen)
    (button,) = (each for each in screen.button if each.label == "Draw again")
    button.click().run()
    assert Column.read(screen.session_state["c2"]).settings["seed"] == "5"
    assert texts(screen)[0] == before[0]
    assert texts(screen)[1] != before[1]
    assert not [each for each in opened("compare", src=HOUSE).button if each.label == "Draw again"]


def test_six_rows_are_the_most() -> None:
    six = zip(rows.KEYS, STRATEGIES, strict=False)
    screen = opened(
        "compare", src=HOUSE, set="row:1", **{key: f"{DEMO}!{name}!" for key, name in six}
    )
    assert len(set(strategies(screen))) == 6
    (add,) = (each for each in screen.get("menu_button") if each.proto.label == "Add a row")
    assert add.proto.disabled
    assert screen.button(key="clone c1").disabled
    assert not screen.exception


def test_one_press_starts_a_comparison() -> None:
    screen = opened("compare", src=HOUSE)
    menu(screen, "Start over", "Five strategies")
    assert not screen.exception
    assert len({*strategies(screen)}) == 5
    assert not any("output of" in each.value for each in screen.dataframe)  # of one model
    menu(screen, "Start over", rows.ALONE)
    assert strategies(screen) == ["greedy"]


def test_checkpoints_are_offered_where_there_are_several() -> None:
    run = own()
    assert "Best and first checkpoint" not in rows.starts(DEMO)
    weights = runs_folder() / run / "checkpoints" / "step-00001500.safetensors"
    shutil.copy(weights, weights.with_name("step-00000300.safetensors"))
    screen = opened("compare", run=run, src=HOUSE)
    menu(screen, "Start over", "Best and first checkpoint")
    steps = {Column.read(screen.session_state[key]).step for key in ("c1", "c2")}
    assert steps == {"300", "1500"}


def test_a_wrong_setting_leaves_the_other_rows() -> None:
    screen = opened("compare", src=HOUSE, c2=f"{DEMO}!diverse_beam!", set="row:2")
    screen.number_input(key="c2 diverse_beam num_beam_groups").set_value(4).run()
    assert not screen.exception
    assert "num_beam_groups 4 does not divide num_beams 6" in page_text(screen)
    first, wrong = texts(screen)
    assert first == "la maison rouge"
    assert "does not divide" in wrong


def test_the_call_of_transformers_passes_what_the_model_came_with() -> None:
    run = own()
    folder = RunFolder(runs_folder() / run)
    folder.write_about(folder.about() | {"starting_settings": {"repetition_penalty": 1.5}})
    for row, is_passed in (
        (f"{run}!greedy!repetition_penalty:1.0", True),
        (f"{DEMO}!greedy!", False),
    ):
        screen = opened("compare", src=HOUSE, c1=row)
        (call,) = (one.value for one in screen.code if "model.generate(" in one.value)
        assert ("repetition_penalty=1.0" in call) is is_passed


def test_a_run_that_is_gone_or_cannot_be_opened_takes_no_other_row_down() -> None:
    broken = own('"format": 99')
    given = {"c2": f"{broken}!greedy!", "c3": f"{OTHER}!beam!", "c4": "gone0000@5!greedy!"}
    screen = opened("compare", src=HOUSE, **given)
    assert not screen.exception
    assert Column.read(screen.session_state["c2"]).run == broken
    gone = "There is no run gone0000 here (any more). demo-en-fr is shown instead."
    assert gone in page_text(screen)
    assert Column.read(screen.session_state["c4"]).run == DEMO
    first, wrong, *others = texts(screen)
    assert [first, *others] == ["la maison rouge", "la casa roja", "la maison rouge"]
    assert "format 99" in wrong


def test_a_gap_in_the_address_closes_and_going_back_brings_the_rows_that_were_there() -> None:
    screen = opened("compare", src=HOUSE, c3=f"{OTHER}!greedy!", c6=f"{DEMO}!mbr!")
    assert strategies(screen) == ["beam", "greedy", "mbr"]
    screen.query_params.clear()  # as the browser's Back does
    screen.run()
    assert strategies(screen) == ["beam"]
    screen.query_params["c2"] = f"{OTHER}@1500!sample!"
    screen.run()
    assert strategies(screen) == ["beam", "sample"]
    assert not screen.exception


def test_rows_of_the_pages_run_go_with_it() -> None:
    screen = opened("compare", src="the dog sleeps", c2=f"{DEMO}!greedy!", c3=f"{OTHER}!greedy!")
    screen.selectbox(key="run").set_value(OTHER).run()
    assert [Column.read(screen.session_state[key]).run for key in ("c1", "c2", "c3")] == [OTHER] * 3
    assert not screen.exception


def test_a_reference_brings_scores_and_belongs_to_its_sentence() -> None:
    screen = opened(
        "compare",
        src="the bank is by the river",
        c2=f"{DEMO}!sample!",
        tgt="la banque est au bord du lac",
    )
    for row in html_table(screen, "chrF"):
        expected = sentence_chrf(row["translation"], ["la banque est au bord du lac"]).score
        assert float(row["chrF"]) == pytest.approx(expected, abs=0.06)
    assert (
        '<del title="not here">du lac</del> <ins title="only here">de la rivière</ins>'
        in "".join(bodies(screen))
    )
    screen.button(key="chip4").click().run()
    assert screen.text_input(key="reference").value == ""
    assert "chrF" not in "".join(bodies(screen))
    assert "tgt=" not in link(screen)


def test_a_reference_belongs_to_its_languages() -> None:
    same = own()
    screen = opened("compare", src=HOUSE, tgt="la maison rouge")
    screen.selectbox(key="run").set_value(same).run()
    assert screen.text_input(key="reference").value == "la maison rouge"
    screen.selectbox(key="run").set_value(OTHER).run()
    assert not screen.exception
    assert screen.text_input(key="src").value == HOUSE
    assert screen.text_input(key="reference").value == ""
    assert "tgt=" not in link(screen)


def test_what_differences_are_marked_against_is_chosen_and_travels() -> None:
    screen = three(tgt="la maison rouge", set="against:2")
    assert not lost(screen)
    assert screen.selectbox(key=reference.BOX).value == "2"
    assert "struck-out</del> words only in row 2" in "".join(bodies(screen))
    assert unpack(screen.session_state["set"]) == {"against": "2"}
    open_row(screen, 2).button(key="remove c2").click().run()
    assert screen.selectbox(key=reference.BOX).value == "reference"
    screen.selectbox(key=reference.BOX).set_value(NOTHING).run()
    assert "against%3Anothing" in link(screen)
    assert not any("<ins" in body for body in bodies(screen))
    assert "There is no row 9" in page_text(three(set="against:9"))


def test_the_way_to_steps_keeps_strategy_settings_and_reference() -> None:
    screen = opened(
        "compare", src=HOUSE, c1=f"{DEMO}!greedy!repetition_penalty:1.2", tgt="la maison"
    )
    (way,) = (each for each in screen.get("page_link") if each.proto.label == "Why each word")
    view = {key: value[0] for key, value in parse_qs(way.proto.query_string).items()}
    assert (view["src"], view["tgt"]) == (HOUSE, "la maison")
    assert unpack(view["set"]) == {"strategy": "greedy", "repetition_penalty": "1.2"}
    there = opened("steps", **view)
    assert unpack(there.session_state["set"])["strategy"] == "greedy"
    assert parse_qs(urlsplit(link(there)).query)["tgt"] == ["la maison"]


def test_an_address_on_its_way_to_another_page_stays_as_it_is() -> None:
    screen = opened("compare", src=HOUSE, tgt="la maison", set="against:1")
    for key, value in (("step", "1500"), ("tgt", "zork"), ("set", "strategy:greedy")):
        screen.query_params[key] = value
    screen.run()
    assert not screen.exception
    assert screen.query_params["set"] == "strategy:greedy"
    assert screen.query_params["tgt"] == "zork"
    assert screen.text_input(key="reference").value == "la maison"


def test_what_another_page_forces_is_no_reference() -> None:
    screen = opened("compare", src=HOUSE, step="1500", tgt="la maison rouge")
    assert screen.text_input(key="reference").value == ""


def test_a_hostile_link_is_a_sentence() -> None:
    given = {
        "c2": "!!!!",
        "c3": "x@y!z!a:b",
        "c4": "<img src=x onerror=1>",
        "c5": "@1e9!beam!num_beams:-1",
        "c6": f"{DEMO}@99!constrained!force_words:<script>",
        "set": "against:<b>",
        "tgt": "<b>*x*</b> \u202ex",
    }
    screen = opened("compare", src=HOUSE, **given)
    assert not screen.exception
    assert texts(screen)
    assert not any(re.search(r"<(script|img)|<b>\*", body) for body in bodies(screen))
