import csv
import html
import io
import re
import shutil
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from sacrebleu import sentence_bleu, sentence_chrf
from streamlit.testing.v1 import AppTest

import s2s
from s2s.config import override
from s2s.decode import STRATEGIES
from s2s.links.share import Column, unpack
from s2s.runs import RunFolder, runs_folder
from s2s.ui.compare import across_models, cards, columns, metrics, reference
from s2s.ui.compare.column import ColumnChoice
from s2s.ui.kit import cached, differences, four_digits
from s2s.ui.kit.cached import TimedDecoding
from tests.screen import link, lost, opened, page_text

DEMO = "demo-en-fr"
OTHER = "demo-en-es"
HOUSE = "the red house"


def bodies(screen: AppTest) -> list[str]:
    """Everything drawn as HTML."""
    return [str(each.proto.body) for each in screen.get("html")]


def texts(screen: AppTest) -> list[str]:
    """What stands in the large fields, without what is only struck out."""
    large = [
        re.sub(r"<del.*?</del> ?", "", body)
        for body in bodies(screen)
        if body.startswith('<p dir="auto" title=')
    ]
    return [" ".join(html.unescape(re.sub(r"<.*?>", "", body)).split()) for body in large]


def strategies(screen: AppTest) -> list[str]:
    """Of the columns in the link."""
    view = parse_qs(urlsplit(link(screen)).query)
    return [Column.read(view[key][0]).strategy for key in columns.KEYS if key in view]


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


def test_a_link_brings_every_column_and_share_writes_them() -> None:
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
    again.button(key="remove c1").click().run()  # which leaves the second its run
    assert again.session_state["run"] == OTHER
    assert texts(again) == before[1:]
    assert Column.read(again.session_state["c2"]).run == DEMO


def test_the_second_click_of_a_double_click_changes_no_other_column(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = 3
    changes = []
    monkeypatch.setattr(columns, "shown", lambda: columns.KEYS[: drawn - len(changes)])
    for _ in range(2):
        cards._once(lambda *given: changes.append(given), drawn, "c2", DEMO)
    assert changes == [("c2", DEMO)]


def test_columns_are_added_cloned_and_removed_and_stay_when_the_menu_leads_back() -> None:
    screen = opened("compare", src=HOUSE)
    assert strategies(screen) == ["beam"]
    screen.button(key="add column").click().run()
    assert strategies(screen) == ["beam", "greedy"]
    screen.number_input(key="c1 beam num_beams").set_value(3).run()
    screen.button(key="clone c1").click().run()
    assert strategies(screen) == ["beam", "greedy", "beam"]
    assert screen.number_input(key="c3 beam num_beams").value == 3
    screen.button(key="remove c2").click().run()
    assert strategies(screen) == ["beam", "beam"]
    assert screen.session_state["c1"] == screen.session_state["c2"]
    screen.button(key="remove c1").click().run()
    assert strategies(screen) == ["beam"]
    assert screen.number_input(key="c1 beam num_beams").value == 3
    assert not screen.exception
    assert not lost(screen)
    for page in ("inspect/attention", "decode/compare"):  # the menu leads away and back
        screen.switch_page(f"pages/{page}.py").run()
    assert strategies(screen) == ["beam"]
    assert screen.number_input(key="c1 beam num_beams").value == 3


def test_from_the_menu_there_are_two_to_compare_and_one_of_them_can_be_shared() -> None:
    screen = opened("compare", run=DEMO)
    assert strategies(screen) == ["greedy", "beam"]
    screen.button(key="remove c1").click().run()
    assert strategies(screen) == ["beam"]
    shared = dict(screen.query_params)
    assert shared["c1"].startswith(
        f"{DEMO}@1500!beam!"
    )  # an address without columns would mean two
    assert strategies(opened("compare", **shared)) == ["beam"]
    screen.text_input(key="src").set_value(HOUSE).run()
    shared = dict(screen.query_params)
    assert strategies(opened("compare", **shared)) == ["beam"]


def test_six_columns_are_the_most() -> None:
    five = zip(columns.KEYS[:5], STRATEGIES, strict=False)
    screen = opened("compare", src=HOUSE, **{key: f"{DEMO}!{name}!" for key, name in five})
    screen.button(key="add column").click().run()
    assert len(set(strategies(screen))) == 6
    assert screen.button(key="add column").disabled
    assert screen.button(key="clone c1").disabled
    assert not screen.exception


def test_one_press_starts_a_comparison() -> None:
    assert len({column.strategy for column in columns.STARTS["Five strategies"](DEMO)}) == 5
    name = "Greedy and beam"
    screen = opened("compare", src=HOUSE)
    screen.button(key=f"start {name}").click().run()
    assert not screen.exception
    assert strategies(screen) == [column.strategy for column in columns.STARTS[name](DEMO)]
    assert "same as column 1" in page_text(screen)
    assert not any("output of" in each.value for each in screen.dataframe)  # of one model
    assert not [each for each in screen.button if each.key == f"start {name}"]
    (start_over,) = (each for each in screen.get("menu_button") if each.proto.label == "Start over")
    start_over.click(columns.ALONE).run()
    assert strategies(screen) == ["greedy"]


def test_checkpoints_are_offered_where_there_are_several() -> None:
    run = own()
    assert "Best and first checkpoint" not in columns.starts(DEMO)
    weights = runs_folder() / run / "checkpoints" / "step-00001500.safetensors"
    shutil.copy(weights, weights.with_name("step-00000300.safetensors"))
    screen = opened("compare", run=run, src=HOUSE)
    screen.button(key="start Best and first checkpoint").click().run()
    steps = {Column.read(screen.session_state[key]).step for key in ("c1", "c2")}
    assert steps == {"300", "1500"}


def test_a_wrong_setting_leaves_the_other_columns() -> None:
    screen = opened("compare", src=HOUSE, c2=f"{DEMO}!diverse_beam!")
    screen.number_input(key="c2 diverse_beam num_beam_groups").set_value(4).run()
    assert not screen.exception
    assert "num_beam_groups 4 does not divide num_beams 6" in page_text(screen)
    assert "so nothing is decoded" in page_text(screen)
    assert texts(screen) == ["la maison rouge"]


def test_the_call_of_transformers_passes_what_the_model_came_with() -> None:
    run = own()
    folder = RunFolder(runs_folder() / run)
    folder.write_about(folder.about() | {"starting_settings": {"repetition_penalty": 1.5}})
    given = {"c1": f"{run}!greedy!repetition_penalty:1.0", "c2": f"{DEMO}!greedy!"}
    screen = opened("compare", src=HOUSE, **given)
    calls = [one.value for one in screen.code if "model.generate(" in one.value]
    assert ["repetition_penalty=1.0" in call for call in calls] == [True, False]


def test_a_run_that_is_gone_or_cannot_be_opened_takes_no_other_column_down() -> None:
    broken = own('"format": 99')
    given = {"c2": f"{broken}!greedy!", "c3": f"{OTHER}!beam!", "c4": "gone0000@5!greedy!"}
    screen = opened("compare", src=HOUSE, **given)
    assert not screen.exception
    assert "format 99" in page_text(screen)
    assert Column.read(screen.session_state["c2"]).run == broken
    gone = "There is no run gone0000 here (any more). demo-en-fr is shown instead."
    assert gone in page_text(screen)
    assert Column.read(screen.session_state["c4"]).run == DEMO
    assert texts(screen) == ["la maison rouge", "la casa roja", "la maison rouge"]


def test_a_sentence_too_long_for_one_model_is_said_in_its_column(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timed = cached.timed_decoding

    def fails(
        run: s2s.Run, text: str, strategy: str, settings: dict[str, object], *, patience: float
    ) -> TimedDecoding:
        if strategy == "greedy":
            raise s2s.UserError("Line 1 of the source has 99 tokens.")
        return timed(run, text, strategy, settings, patience=patience)

    monkeypatch.setattr(cached, "timed_decoding", fails)
    screen = opened("compare", src=HOUSE, c2=f"{DEMO}!greedy!", c3=f"{DEMO}!mbr!")
    assert "99 tokens" in page_text(screen)
    assert len(texts(screen)) == 2


def test_a_link_that_states_the_settings_of_mbr_keeps_them() -> None:
    """Whatever the defaults are now; a link without them takes those."""
    stated = "num_samples:16,epsilon_cutoff:0,temperature:1"
    screen = opened("compare", src=HOUSE, c2=f"{DEMO}!mbr!{stated}", c3=f"{DEMO}!mbr!")
    assert not screen.exception
    run = s2s.load(DEMO)
    old = run.translate([HOUSE], "mbr", num_samples=16, epsilon_cutoff=0.0)[0]
    new = run.translate([HOUSE], "mbr", num_samples=32, epsilon_cutoff=0.02)[0]
    shown = "".join(str(each.proto.body) for each in screen.get("html"))
    assert four_digits(old.score) in shown
    assert four_digits(new.score) in shown
    assert old.score != new.score


def test_a_gap_in_the_address_closes_and_going_back_brings_the_columns_that_were_there() -> None:
    screen = opened("compare", src=HOUSE, c3=f"{OTHER}!greedy!", c6=f"{DEMO}!mbr!")
    assert strategies(screen) == ["beam", "greedy", "mbr"]
    screen.query_params.clear()  # as the browser's Back does
    screen.run()
    assert strategies(screen) == ["beam"]
    screen.query_params["c2"] = f"{OTHER}@1500!sample!"
    screen.run()
    assert strategies(screen) == ["beam", "sample"]
    assert not screen.exception


def test_columns_of_the_pages_run_go_with_it() -> None:
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
    for text in texts(screen):
        for name, of in (("chrF", sentence_chrf), ("BLEU", sentence_bleu)):
            expected = of(text, ["la banque est au bord du lac"]).score
            assert any(
                f"<span>{name}</span> <b>{expected:.1f}</b>" in body for body in bodies(screen)
            ), (name, text)
    assert (
        '<del title="not here">du lac</del> <ins title="only here">de la rivière</ins>'
        in "".join(bodies(screen))
    )
    assert any("eff:yes" in body for body in bodies(screen))
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
    assert "struck-out</del> words only in column 2" in "".join(bodies(screen))
    assert unpack(screen.session_state["set"]) == {"against": "2"}
    screen.button(key="remove c2").click().run()
    assert screen.selectbox(key=reference.BOX).value == "reference"
    screen.selectbox(key=reference.BOX).set_value(reference.NOTHING).run()
    assert "against%3Anothing" in link(screen)
    assert not any("<ins" in body for body in bodies(screen))
    assert "There is no column 9" in page_text(three(set="against:9"))


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


def test_outputs_of_different_models_are_compared_under_each_of_them() -> None:
    screen = opened("compare", src=HOUSE, c1=f"{DEMO}!greedy!", c2=f"{OTHER}!greedy!")
    assert not screen.exception
    table = next(each.value for each in screen.dataframe if "output of" in each.value)
    for name in (DEMO, OTHER):
        run = s2s.load(name)
        model = f"{name} · step {run.step:,}"
        scores = run.score([HOUSE] * 2, list(table["text"]))
        assert list(table[f"{model}: log-probability"]) == pytest.approx(scores, abs=1e-4)
        lengths = [len(run.tgt_tokenizer.encode(text)) + 1 for text in table["text"]]
        assert list(table[f"{model}: per token"]) == pytest.approx(
            [score / n for score, n in zip(scores, lengths, strict=True)], abs=1e-4
        )
    assert "cannot write" in page_text(screen)


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


def test_marks_and_text_are_escaped() -> None:
    shown, found = differences.highlighted("<b>a</b> x", "a & x")
    assert (
        shown
        == '<del title="not here">a &amp;</del> <ins title="only here">&lt;b&gt;a&lt;/b&gt;</ins> x'
    )
    assert found is not None
    assert not found.is_empty
    assert differences.highlighted("<i>", None) == ("&lt;i&gt;", None)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_number_of_every_strategy_is_explained_and_in_the_table(strategy: str) -> None:
    run = s2s.load(DEMO)
    settings = {"force_words": "rouge"} if strategy == "constrained" else {}
    (found,) = run.translate([HOUSE], strategy, **settings)
    config = run.configured(strategy, settings)[1]
    chosen = ColumnChoice(
        run,
        strategy,
        STRATEGIES[strategy].summary,
        settings,
        config,
        error=None,
        written="",
        default="",
    )
    rows = metrics.of_column(chosen, TimedDecoding(found, 0.25), "la maison")
    assert all(row.help and row.text for row in rows)
    values = {row.name: row.value for row in rows}
    assert values["log-probability"] == found.log_prob
    assert values["score"] == found.score
    assert values["per token"] == pytest.approx(found.log_prob / len(found.tokens))
    (first,) = run.tgt_tokenizer.encode(found.tokens[0])
    given = replace(run, recipe=override(run.recipe, {"model.ids.tgt_first": first}))
    rows_of_given = metrics.of_column(replace(chosen, run=given), TimedDecoding(found, 0.25), "")
    (mean,) = (row.value for row in rows_of_given if row.name == "per token")
    assert mean == pytest.approx(found.log_prob / (len(found.tokens) - 1))
    words = (
        found.text.split()
    )  # of the text shown: columns of one and of several hypotheses compare
    assert values["distinct-1"] == pytest.approx(100 * len(set(words)) / len(words))
    description = (DEMO, "1500", strategy, "", "=1+1")
    (line,) = csv.DictReader(io.StringIO(metrics.table({"1": (description, rows)})))
    assert float(line["seconds"]) == 0.25
    assert not line["text"].startswith("=")


def test_two_models_of_one_title_and_step_are_two_under_every_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = {"1": cached.open_run("demo-en-fr"), "2": cached.open_run("demo-en-es")}
    monkeypatch.setattr(cached, "model_name", lambda run: "small on a long name… · step 1,500")
    found = across_models.forced_outputs("the house", runs, {"1": "la maison", "2": "la casa"})
    assert len(found.models) == 2
    scores = {each.log_prob for each in found.scored.values() if each}
    assert len(scores) == 4
