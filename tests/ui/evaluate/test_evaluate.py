import csv
import io
import re
import shutil
from dataclasses import replace
from functools import cache
from urllib.parse import parse_qs

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from s2s.jobs import evaluation_service, test_sets
from s2s.jobs.evaluation import loop as evaluation_loop
from s2s.jobs.evaluation.service import EvaluationRequest
from s2s.library import Library
from s2s.library.own import list_evaluations
from s2s.links.share import pack, unpack
from s2s.plots import evaluation_scores
from s2s.plots.evaluation_files import sentence_table
from s2s.processes import queue
from s2s.questions import Evaluate, Evaluated, Have
from s2s.runs import (
    EvaluationFolder,
    RunFolder,
    Sentences,
    System,
    evaluations,
    runs_folder,
)
from s2s.scores import METRIC_NAMES, Scoring, sentence_scores
from s2s.ui.evaluate import chat, results, sentences, systems, translate_file
from tests.jobs.context import FakeContext
from tests.screen import link, lost, opened, page_text

DEMO = "demo-en-fr"
PAIRS = [
    ("the red house", "la maison rouge"),
    ("the cat sleeps", "le chat dort"),
    ("the cat who chased the mouse was black", "le chat qui a chassé la souris était noir"),
]
MARKUP = "<b>theirs</b> :red[x] *y*"
ORIGINAL = "original-evaluation"
THEIRS = ["la maison rouge", "la maison", "le chat <i>noir</i> le chat noir le chat noir"]


def evaluated(*more: System, is_swept: bool = False) -> str:
    """An evaluation that is done, without the text that the demo was trained on, which takes seconds to write.

    Each choice of systems is evaluated once in a process; every call gets a copy.
    """
    swept = (
        [
            System(f"beam num_beams={n}", DEMO, 1500, "beam", {"num_beams": n}, sweep="num_beams")
            for n in (1, 4)
        ]
        if is_swept
        else []
    )
    systems = (
        System("greedy", DEMO, 1500, "greedy"),
        *more,
        *swept,
        System(MARKUP, uploaded="theirs.txt"),
    )
    place = evaluations.new_folder()
    place.path.mkdir(parents=True)
    for name, text in worked_out(Systems(systems)).items():
        (place.path / name).write_text(text.replace(ORIGINAL, place.id))
    return place.id


class Systems(tuple[System, ...]):
    """A key for a cache: the settings of a system are a dict, which has no hash."""

    def __hash__(self) -> int:
        return hash(repr(self))


@cache
def worked_out(systems: Systems) -> dict[str, str]:
    """The files of an evaluation, by name; its id is ORIGINAL there."""
    evaluation = evaluation_service.submit(
        EvaluationRequest(systems, Sentences("mine", n=3), PAIRS, {MARKUP: THEIRS}, run=DEMO)
    )
    place = Library().evaluation(evaluation)
    place.set_words({"red": 5})
    work(place)
    found = {path.name: path.read_text() for path in place.path.iterdir()}
    evaluation_service.delete(evaluation)
    return {name: text.replace(evaluation, ORIGINAL) for name, text in found.items()}


def work(place: EvaluationFolder) -> None:
    """As a worker would."""
    job = queue.latest(place.id)
    assert job is not None
    claimed = queue.claim("w", "h", job.slot, 600.0)
    assert claimed is not None
    list(evaluation_service.work(claimed, FakeContext()))
    queue.finish(claimed.id, claimed.worker, "done")


def frame(screen: AppTest, column: str) -> pd.DataFrame:
    """The table that has such a column."""
    return next(each.value for each in screen.dataframe if column in each.value.columns)


def answered(evaluation: str) -> Evaluated:
    return Have().answer(Evaluate(evaluation=evaluation))


def held(screen: AppTest) -> dict[str, str]:
    return unpack(str(screen.session_state["set"]))


def test_one_press_queues_an_evaluation_that_the_address_names() -> None:
    screen = opened("evaluate", run="demo-en-fr")
    assert not screen.exception
    assert "set" not in screen.query_params
    assert held(screen).items() >= {"n": "200", "strategies": "greedy beam"}.items()
    assert "test" in held(screen)
    assert "200 sentences × 2 systems" in page_text(screen)
    assert screen.button(key="evaluate").disabled is False
    assert "example chat" not in [each.key for each in screen.button]  # it does not respond
    screen.button(key="evaluate").click().run()
    assert not screen.exception
    (asked,) = list_evaluations()
    assert [(system.name, system.run, system.step) for system in asked.systems] == [
        ("greedy", DEMO, 1500),
        ("beam", DEMO, 1500),
    ]
    assert held(screen) == {"evaluation": asked.id}
    assert "Queued" in screen.get("progress")[0].proto.text
    screen.button(key="stop evaluation").click().run()
    assert evaluation_service.progress(asked.id).state == "stopped"


@pytest.mark.parametrize(
    ("wanted", "step", "asked_for"), [("", 1600, "best"), ("the last", 1700, "last")]
)
def test_best_and_last_are_those_of_the_moment_when_the_button_is_pressed(
    wanted: str, step: int, asked_for: str
) -> None:
    folder = runs_folder() / "mine"
    shutil.copytree(Library().run(DEMO).path, folder)
    screen = opened("evaluate", run="mine", set=f"checkpoints:{wanted}" if wanted else "n:200")
    for file in [*(folder / "checkpoints").iterdir()]:  # training continues while the page is open
        for number in ("1600", "1700"):
            shutil.copy(file, file.with_name(file.name.replace("1500", number)))
    RunFolder(folder).set_status("running", step=1700, best_step=1600)
    screen.button(key="evaluate").click().run()
    assert not screen.exception
    (asked,) = list_evaluations()
    assert {(system.step, system.checkpoint) for system in asked.systems} == {(step, asked_for)}
    assert answered(asked.id).made[0].checkpoint == f"step {step:,} ({asked_for})"
    older = replace(asked.systems[0], step=1500)  # of a page that was drawn before
    assert [system.step for system in systems.resolved([older])] == [step]


def test_the_table_says_what_the_scores_are_and_a_link_opens_it_again() -> None:
    evaluation = evaluated()
    screen = opened("evaluate", run=DEMO, set=f"evaluation:{evaluation}")
    assert not screen.exception
    assert not lost(screen)
    assert "first reference" not in page_text(screen)
    cells = evaluation_scores.score_cells(answered(evaluation), every=True)
    assert "first reference" not in cells.about[METRIC_NAMES["loss"].label]
    table = frame(screen, "BLEU")
    scores = Library().evaluation(evaluation).scores()["systems"]
    assert list(table["System"]) == ["greedy", MARKUP]
    for cell, system in zip(table["BLEU"], scores, strict=True):
        assert f"{system['scores']['bleu']['value']:.1f}" in cell
        assert "±" in cell
    assert table["BLEU"][0].startswith("★")
    assert table["Perplexity"][1] == "–"
    assert f"set=evaluation%3A{evaluation}" in link(screen)
    assert "nrefs:1|case:mixed" in "".join(str(code.value) for code in screen.code)
    errors = frame(screen, "Search errors")  # of all sentences, as the buckets are
    assert list(errors["System"]) == ["greedy", MARKUP]
    assert list(errors["Search errors"]) == ["0 (0.0%)", "–"]
    assert errors["Repetitions"][1] == "1 (33.3%)"
    found = frame(screen, "bucket")
    assert found["sentences"].sum() == 3
    heads = {f"chrF of {MARKUP}", "chrF of greedy", "difference", "95 % from", "to"}
    assert heads <= set(found.columns)
    screen.selectbox(key="evaluate bucket").set_value("flags")
    screen.toggle(key="evaluate metrics").set_value(True).run()
    assert not screen.exception
    assert "Repetition" in list(frame(screen, "bucket")["bucket"])
    assert {"ROUGE-1", "Repetition", "Token accuracy"} <= set(frame(screen, "BLEU").columns)
    tests = frame(screen, "sacrebleu's p")
    pairs = [*scores[1]["paired"].values()]
    assert list(tests["p (two-sided)"]) == [f"{pair['p_randomization']:.3f}" for pair in pairs]
    assert list(tests["sacrebleu's p"]) == [f"{pair['p_value']:.3f}" for pair in pairs]


def test_the_error_browser_sorts_and_shows_one_sentence_in_full() -> None:
    screen = opened("evaluate", run=DEMO, set=f"evaluation:{evaluated()},of:2")
    assert not screen.exception
    rows = frame(screen, "translation")
    assert list(rows["chrF"]) == sorted(rows["chrF"])
    assert "Repetition" in ",".join(rows["hints"])
    bodies = "".join(str(each.proto.body) for each in screen.get("html"))
    assert "<i>noir</i>" not in bodies
    assert "&lt;b&gt;theirs" in bodies
    assert all(
        part in bodies for part in ("BLEU = ", "Brevity penalty", "chrF = ", "TER = ", "ROUGE-L = ")
    )
    screen.selectbox(key="evaluate sort").set_value("gap").run()
    itself = screen.selectbox(key="evaluate system").options[-1]
    assert itself not in screen.selectbox(key="evaluate other").options
    screen.selectbox(key="evaluate other").set_value("1").run()
    assert not screen.exception
    gaps = list(frame(screen, "gap")["gap"])
    assert [abs(gap) for gap in gaps] == sorted((abs(gap) for gap in gaps), reverse=True)
    assert min(gaps) < 0


def detail(screen: AppTest) -> str:
    """The sentence that is shown in full."""
    return "".join(str(each.proto.body) for each in screen.get("html"))


def test_a_selected_sentence_stays_when_the_order_changes_and_is_in_the_link() -> None:
    """Its log-probability and the way to Steps are those of its system alone."""
    view = {"evaluation": evaluated(), "sort": "number", "sentence": "1"}
    screen = opened("evaluate", run=DEMO, set=pack(view))
    assert not lost(screen)
    shown = detail(screen)
    assert "source 1" in shown
    first, second = re.findall(r"<small><b>(.*?)</b> · (.*?)</small>", shown)
    assert "log-probability" in first[1]  # of greedy; the same text from a file has none
    assert "log-probability" not in second[1]
    assert first[1].startswith(second[1])
    (way,) = (each for each in screen.get("page_link") if each.proto.label == "Why each word")
    there = {key: value[0] for key, value in parse_qs(way.proto.query_string).items()}
    assert (there["src"], there["tgt"]) in PAIRS
    assert unpack(there["set"]) == {"strategy": "greedy"}
    screen.toggle(key="evaluate is_reversed").set_value(True).run()
    assert not screen.exception
    assert "source 1" in detail(screen)
    assert unpack(screen.session_state["set"]) == view | {"reversed": "1"}


def test_a_search_lists_the_sentences_that_have_its_text_and_is_in_the_link() -> None:
    evaluation = evaluated()
    screen = opened("evaluate", run=DEMO, set=f"evaluation:{evaluation}")
    assert len(frame(screen, "translation")) == 3
    screen.text_input(key="evaluate find").set_value("LA MAISON").run()  # of one reference
    assert not screen.exception
    assert list(frame(screen, "translation")["no."]) == [1, 2]  # and of another translation
    assert unpack(screen.session_state["set"])["find"] == "LA MAISON"
    again = opened("evaluate", run=DEMO, set=str(screen.session_state["set"]))
    assert list(frame(again, "translation")["no."]) == [1, 2]
    again.text_input(key="evaluate find").set_value("no such text").run()
    assert "No sentence has this text." in page_text(again)


def test_the_link_of_an_evaluation_says_how_it_is_shown() -> None:
    shown = {
        "bucket": "flags",
        "bucket_score": "bleu",
        "bucket_of": "1",
        "of": "2",
        "quality": "ter",
    }
    view = {"evaluation": evaluated(), "metrics": "1", "sort": "number", "reversed": "1"} | shown
    screen = opened("evaluate", run=DEMO, set=pack(view))
    assert not lost(screen)
    assert unpack(screen.session_state["set"]) == view
    assert {
        name: screen.selectbox(key=f"evaluate {'system' if name == 'of' else name}").value
        for name in shown
    } == shown
    numbers = list(frame(screen, "translation")["no."])
    assert numbers == sorted(numbers, reverse=True)
    screen.selectbox(key="evaluate system").set_value("1")
    screen.selectbox(key="evaluate bucket_of").set_value("2").run()
    del view["of"], view["bucket_of"]  # what is at its default need not be said
    assert unpack(screen.session_state["set"]) == view | {"bucket_other": "none"}


def test_another_evaluation_begins_with_systems_of_its_own() -> None:
    first, second = evaluated(), evaluated(is_swept=True)
    screen = opened("evaluate", run=DEMO, set=f"evaluation:{first},of:2,bucket:flags")
    screen.button(key=f"open {second}").click().run()
    assert not lost(screen)
    assert unpack(screen.session_state["set"]) == {"evaluation": second, "bucket": "flags"}
    assert screen.selectbox(key="evaluate system").value == "1"
    assert not screen.exception  # and its sweep is drawn
    pictures = [str(each.proto.spec) for each in screen.get("plotly_chart")]
    assert any("BLEU by num_beams" in spec for spec in pictures)
    assert sum("BLEU and" in spec for spec in pictures) == 2


def test_the_csv_has_a_row_a_score_with_interval_and_difference() -> None:
    place = Library().evaluation(evaluated())
    text = Evaluate().table(answered(place.id)).csv()
    assert text.startswith("system,score,value,low,high")
    rows = csv.DictReader(io.StringIO(text))
    bleu = next(row for row in rows if row["score"] == "bleu" and row["system"] == MARKUP)
    found = place.scores()["systems"][1]
    assert float(bleu["value"]) == found["scores"]["bleu"]["value"]
    for name in ("p_value", "p_randomization"):
        assert float(bleu[name]) == found["paired"]["bleu"][name]


def test_a_link_fills_the_form_and_what_it_cannot_mean_is_said() -> None:
    packed = "test:deep,n:50,strategies:greedy beam,with.beam:num_beams=7,sweep:length_penalty of beam,values:0 1 2"
    screen = opened("evaluate", run=DEMO, set=packed)
    assert not screen.exception
    assert not lost(screen)
    assert unpack(packed).items() <= held(screen).items()
    assert "50 sentences × 5 systems" in page_text(screen)
    broken = opened("evaluate", run=DEMO, set="test:gone,n:x,strategies:best greedy,runs:nobody")
    assert not broken.exception
    assert all(
        part in lost(broken)[0]
        for part in (
            "there is no gone here",
            "there is no x here",
            "there is no best here",
            "there is no nobody here",
        )
    )
    assert "200 sentences × 1 system" in page_text(broken)
    gone = opened("evaluate", run=DEMO, set="evaluation:gone")
    assert "no evaluation gone here" in lost(gone)[0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("num_beam=3", "num_beams"),
        ("num_beams", "is not a setting with a value"),
        ("prefix=zebra", "zebra"),
        ("min_new_tokens=9, max_new_tokens=3", "`min_new_tokens` 9 is more than"),
    ],
)
def test_settings_that_contradict_are_said_before_anything_runs(text: str, sentence: str) -> None:
    screen = opened(
        "evaluate", run=DEMO, set=f"strategies:beam,with.beam:{text.replace(',', '%2C')}"
    )
    assert not screen.exception
    assert any(
        sentence in str(each.value) or sentence.strip("`") in str(each.value)
        for each in screen.error
    )
    assert screen.button(key="evaluate").disabled


def test_the_second_click_of_a_double_click_finds_it_done(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = evaluation_service.submit(
        EvaluationRequest(
            (System("greedy", DEMO, 1500, "greedy"),), Sentences("mine", n=3), PAIRS, run=DEMO
        )
    )
    session: dict[str, object] = {}
    monkeypatch.setattr(results.st, "session_state", session)
    for what, state in (("stop", "stopped"), ("resume", "queued")):
        for _ in range(2):
            results._do(what, evaluation)
            assert evaluation_service.progress(evaluation).state == state
    assert not session


def test_earlier_evaluations_can_be_opened_and_deleted_and_the_shown_one_stays_open() -> None:
    shown, other = evaluated(), evaluated()
    assert held(opened("evaluate", run=DEMO))["evaluation"] in (shown, other)  # the newest own one
    screen = opened("evaluate", run=DEMO, set="n:100")
    assert "Earlier evaluations of this run (2)" in [each.label for each in screen.expander]
    screen.button(key=f"open {shown}").click().run()
    assert not screen.exception
    assert held(screen) == {"evaluation": shown}
    screen.button(key=f"delete {other}").click().run()
    assert not screen.exception
    assert held(screen) == {"evaluation": shown}
    assert [each.id for each in list_evaluations()] == [shown]
    screen.button(key=f"delete {shown}").click().run()
    assert not screen.exception
    assert list_evaluations() == []
    assert "evaluation" not in held(screen)


def test_a_run_that_responds_can_be_talked_to() -> None:
    screen = opened("evaluate", run="demo-tasks")
    screen.button(key="example chat").click().run()
    assert not screen.exception
    turns = screen.session_state["turns demo-tasks"]
    assert turns[-1] == ("assistant", "Ida has the watch")
    screen.button(key="forget chat").click().run()
    assert not screen.chat_message


def test_what_a_chat_model_reads() -> None:
    story = chat.ChatFormat("respond: ", 7, has_facts=True)
    turns = [
        ("user", "Ben has the hat."),
        ("user", "who has the hat?"),
        ("assistant", "Ben has the hat"),
        ("user", "Ida took the hat"),
    ]
    read = chat.source(story, [*turns, ("user", "who has the hat?")])
    assert read == "respond: Ben has the hat . Ida took the hat . who has the hat ?"
    dialogue = chat.ChatFormat("respond: ", 2, has_facts=False)
    assert chat.source(dialogue, turns[:3]) == "respond: who has the hat? <turn> Ben has the hat"


def test_a_file_is_translated_by_a_press_or_its_mistake_is_said() -> None:
    screen = opened("evaluate", run=DEMO)
    key = "file to translate"
    screen.file_uploader(key).set_value(("empty.txt", b"\n \n", "text/plain")).run()
    assert "empty.txt has no text" in page_text(screen)
    assert screen.button(key="translate file").disabled
    lines = b"the red house\n\nthe cat sleeps\n"
    screen.file_uploader(key).set_value(("mine.txt", lines, "text/plain")).run()
    assert "3 lines" in page_text(screen)
    screen.button(key="translate file").click().run()
    assert not lost(screen)
    queued = unpack(screen.session_state["set"])["evaluation"]
    evaluation = Library().evaluation(queued).evaluation()
    assert [system.strategy for system in evaluation.systems] == ["beam"]
    assert Library().evaluation(queued).test() == [
        ("the red house", ""),
        ("", ""),
        ("the cat sleeps", ""),
    ]


def test_a_file_is_given_back_line_for_line() -> None:
    lines = [(source, "") for source in ("the red house", "", "the cat sleeps")]
    order = EvaluationRequest(
        (System("beam", DEMO, 1500, "beam"),),
        Sentences("mine.txt", n=3, n_all=3, has_references=False),
        lines,
        run=DEMO,
    )
    evaluation = evaluation_service.submit(order)
    work(Library().evaluation(evaluation))
    screen = opened("evaluate", run=DEMO, set=f"evaluation:{evaluation}")
    assert not screen.exception
    assert "3 of 3 lines, by beam" in page_text(screen)
    made = Library().evaluation(evaluation).lines(0)
    assert translate_file.text(made, 3) == "la maison rouge\n\nle chat dort\n"
    assert translate_file.text({2: {"text": "a\nb"}}, 3) == "\n\na b\n"


def test_while_it_works_the_numbers_so_far_and_the_way_to_go_are_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(evaluation_loop, "FIRST", 2)
    evaluation = evaluation_service.submit(
        EvaluationRequest(
            (System("greedy", DEMO, 1500, "greedy"),), Sentences("mine", n=3), PAIRS, run=DEMO
        )
    )
    Library().evaluation(evaluation).set_words({})
    job = queue.claim("w", "h", "express", 600.0)
    assert job is not None
    working = evaluation_service.work(job, FakeContext())
    while Library().evaluation(evaluation).status().get("done") != 2:
        next(working)
    screen = opened("evaluate", run=DEMO, set=f"evaluation:{evaluation}")
    assert not screen.exception
    assert "2 of 3 sentences, by greedy" in screen.get("progress")[0].proto.text
    assert "left" in screen.get("progress")[0].proto.text
    assert "After 2 sentences." in page_text(screen)
    assert "±" not in str(frame(screen, "BLEU")["BLEU"][0])
    working.close()
    queue.finish(job.id, "w", "stopped")
    screen.run()
    assert "Stopped after 2 of 3 sentences" in page_text(screen)
    screen.button(key="resume evaluation").click().run()
    assert evaluation_service.progress(evaluation).state == "queued"


def test_an_evaluation_outlives_its_run() -> None:
    evaluation = evaluated()
    path = Library().evaluation(evaluation).path / "evaluation.json"
    path.write_text(path.read_text().replace(DEMO, "gone"))
    screen = opened("evaluate", run=DEMO, set=f"evaluation:{evaluation}")
    assert not screen.exception
    assert list(frame(screen, "BLEU")["System"]) == ["greedy", MARKUP]
    path.write_text("{")
    assert "evaluation.json" in page_text(
        opened("evaluate", run=DEMO, set=f"evaluation:{evaluation}")
    )


def test_several_runs_stand_in_one_table_by_name() -> None:
    screen = opened("evaluate", run=DEMO, set=f"runs:{DEMO} demo-en-es,strategies:greedy")
    assert not screen.exception
    assert list(screen.selectbox(key="evaluate baseline").options) == [
        f"{DEMO} · greedy",
        "demo-en-es · greedy",
    ]


def test_a_link_keeps_the_baseline() -> None:
    screen = opened("evaluate", run=DEMO, set="strategies:greedy beam")
    screen.selectbox(key="evaluate baseline").set_value("beam").run()
    packed = str(screen.session_state["set"])
    again = opened("evaluate", run=DEMO, set=packed)
    assert not lost(again)
    assert again.selectbox(key="evaluate baseline").value == "beam"
    again.button(key="evaluate").click().run()
    (asked,) = list_evaluations()
    assert asked.systems[asked.baseline].name == "beam"


def test_a_link_says_how_to_count_and_that_all_sentences_do() -> None:
    packed = "every:1,grouped:1,tokenizer:char,chrf_words:1,lowercase:1,strategies:greedy"
    screen = opened("evaluate", run=DEMO, set=packed)
    assert not screen.exception
    assert not lost(screen)
    assert "All sentences × 1 system" in page_text(screen)
    assert {"tokenizer": "char"}.items() <= held(screen).items()
    screen.button(key="evaluate").click().run()
    (asked,) = list_evaluations()
    assert asked.scoring == Scoring("char", True, 2)
    assert asked.test.is_grouped
    assert asked.test.n == test_sets.MAX_SENTENCES


def test_mbr_states_its_samples_beside_other_systems() -> None:
    screen = opened("evaluate", run=DEMO, set="strategies:beam mbr,with.mbr:num_samples=16")
    assert list(screen.selectbox(key="evaluate baseline").options) == [
        "beam",
        "mbr num_samples=16 temperature=1.0 epsilon_cutoff=0.02",
    ]


def test_too_many_systems_are_refused_before_anything_runs() -> None:
    runs = f"{DEMO} demo-en-es demo-tasks"
    screen = opened(
        "evaluate",
        run=DEMO,
        set=f"runs:{runs},strategies:beam,sweep:num_beams of beam,values:1 2 3 4 5 6 7 8",
    )
    assert any("27 systems were given" in str(each.value) for each in screen.error)
    assert screen.button(key="evaluate").disabled


def test_a_sentence_opens_in_compare_with_the_systems_in_columns() -> None:
    system = System(
        "beam num_beams=4", DEMO, 1500, "beam", {"num_beams": 4, "prefix": "la"}, sweep="num_beams"
    )
    screen = opened("compare", src="the red house", c1=str(sentences.column(system)))
    assert not screen.exception
    assert not lost(screen)
    assert "num_beams:4" in str(screen.session_state["c1"])


def test_the_sentences_can_be_downloaded() -> None:
    evaluation = evaluated()
    lines = list(csv.reader(io.StringIO(sentence_table(answered(evaluation)).csv())))
    assert len(lines) == 1 + 2 * 3
    named = [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]
    assert [line["translation"] for line in named if line["system"] == MARKUP] == THEIRS
    assert named[0]["rarest"] == "the"
    assert float(named[4]["chrf"]) == pytest.approx(
        sentence_scores(THEIRS[1], PAIRS[1][1])["chrf"], rel=1e-4
    )


def test_a_table_with_several_references_is_one_test_set() -> None:
    """Until it is there, own files are requested, without an error."""
    screen = opened("evaluate", run=DEMO, set="test:files,strategies:greedy")
    assert not screen.exception
    assert not screen.error
    assert "Upload two text files with one sentence per line" in page_text(screen)
    assert screen.button(key="evaluate").disabled
    table = (
        b"source,ref1,ref2\nthe red house,la maison rouge,la maison est rouge\nthe dog,le chien,\n"
    )
    screen.file_uploader(key="eval sources").set_value(("t.csv", table, "text/csv")).run()
    assert not screen.exception
    assert "source is the source, ref1, ref2 are its 2 references." in page_text(screen)
    assert "All 2 sentences are evaluated, with up to 2 references each." in page_text(screen)
    screen.button(key="evaluate").click().run()
    (asked,) = list_evaluations()
    place = Library().evaluation(asked.id)
    assert place.references() == [("la maison rouge", "la maison est rouge"), ("le chien",)]
    assert "2 references" in asked.test.notes[0]


def test_rows_that_repeat_a_source_are_grouped_unless_told_otherwise() -> None:
    screen = opened("evaluate", run=DEMO, set="test:files,strategies:greedy")
    table = b"mr,ref\nthe dog,le chien\nthe dog,un chien\nthe cat,le chat\n"
    screen.file_uploader(key="eval sources").set_value(("t.csv", table, "text/csv")).run()
    assert "3 rows have 2 different sources" in page_text(screen)
    assert "All 2 sentences are evaluated, with up to 2 references each." in page_text(screen)
    screen.toggle(key="evaluate apart").set_value(True).run()
    assert not screen.exception
    assert "All 3 sentences are evaluated." in page_text(screen)
    assert "different sources" not in page_text(screen)


def test_a_bare_address_opens_on_a_real_difference_with_its_interval() -> None:
    screen = opened("evaluate")
    assert not screen.exception
    assert len(frame(screen, "BLEU")) == 3
    said = r"beam is [\d.]+ chrF better than “after .*”: 95 % interval \d.*, p &lt; 0.001"
    assert re.search(f"<p class='finding' data-answer>{said}", detail(screen))
    expander = next(one for one in screen.expander if one.label.startswith("Earlier"))
    assert [each.label for each in expander.button] == ["Open"]  # nobody's, so nobody deletes it
    screen.selectbox(key="run").set_value("demo-en-fr").run()
    assert "evaluation" not in held(screen)


LINES = b"".join(b"the red house number %d\n" % number for number in range(300))


def with_files(**state: object) -> AppTest:
    given = ",".join(f"{key}:{value}" for key, value in state.items())
    screen = opened("evaluate", run=DEMO, set=f"test:files,strategies:greedy,{given}")
    screen.file_uploader(key="eval sources").set_value(("a.en", LINES, "text/plain")).run()
    screen.file_uploader(key="eval references").set_value([("a.fr", LINES, "text/plain")]).run()
    assert not screen.exception
    return screen


def drawn_pairs(screen: AppTest) -> tuple[list[tuple[str, str]], Sentences]:
    screen.button(key="evaluate").click().run()
    asked = max(list_evaluations(), key=lambda one: one.created)
    place = Library().evaluation(asked.id)
    return place.test(), place.evaluation().test


def test_all_sentences_of_own_files_are_evaluated_where_a_minute_suffices() -> None:
    screen = with_files()
    assert "All 300 sentences are evaluated." in page_text(screen)
    pairs, test = drawn_pairs(screen)
    assert (len(pairs), test.n, test.n_all, test.seed) == (300, 300, 300, 0)


def test_of_long_files_a_minute_is_drawn_and_all_is_a_press_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(evaluation_service, "SECONDS_PER_ROW", 0.5)
    screen = with_files()
    said = page_text(screen)
    assert (
        "110 of 300 sentences, drawn with seed 1, are evaluated: about as many as a minute" in said
    )
    pairs, test = drawn_pairs(screen)
    assert (len(pairs), test.n, test.n_all, test.seed) == (110, 110, 300, 1)
    assert "110 of 300 sentences, drawn with seed 1 · my own files" in page_text(screen)
    numbers = [int(source.split()[-1]) for source, _ in pairs]
    assert numbers == test_sets.chosen_indices(300, 110, 1)
    assert numbers == sorted(set(numbers))
    screen = with_files(every=1)
    assert "All 300 sentences are evaluated." in page_text(screen)


@pytest.mark.parametrize("name", ["n", "n_files"])
def test_the_number_and_the_seed_of_an_address_are_taken(name: str) -> None:
    screen = with_files(**{name: 40, "seed": 7})
    assert "40 of 300 sentences, drawn with seed 7, are evaluated." in page_text(screen)
    pairs, test = drawn_pairs(screen)
    assert (test.n, test.seed) == (40, 7)
    assert [pairs[i][0] for i in (0, -1)] == [
        f"the red house number {test_sets.chosen_indices(300, 40, 7)[i]}" for i in (0, -1)
    ]


def test_of_a_file_longer_than_any_evaluation_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_sets, "MAX_SENTENCES", 200)
    for screen in (with_files(), with_files(every=1)):
        said = page_text(screen)
        assert (
            "200 of 300 sentences, drawn with seed 1, are evaluated: no evaluation takes more."
            in said
        )
        assert "as a job" not in said
