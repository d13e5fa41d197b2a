import pytest

import s2s
from tests.screen import box, lost, opened, page_text


@pytest.mark.parametrize("page", ["", "compare"])
def test_an_example_outlives_a_change_of_model_where_the_new_one_knows_its_words(
    page: str,
) -> None:
    screen = opened(page, run="demo-en-fr")
    first = box(screen)
    screen.button(key="chip1").click().run()
    text = box(screen)
    assert text != first
    screen.selectbox(key="run").select("demo-en-es").run()
    assert not screen.exception
    assert box(screen) == text
    screen.run()
    assert box(screen) == text


def test_an_example_gives_way_to_one_of_a_model_that_cannot_read_it() -> None:
    screen = opened(run="demo-tasks")
    first = box(screen)
    screen.selectbox(key="run").select("demo-en-fr").run()
    assert not screen.exception
    assert box(screen) not in ("", first)


def test_another_run_brings_its_own_checkpoint_examples_and_target(own_run: str) -> None:
    for path in ("attention", "compare"):
        screen = opened(path, run=own_run)
        probes = [line["source"] for line in s2s.load(own_run).folder.lines("samples")]
        assert box(screen) == probes[0]
        if path == "attention":
            screen.text_input(key="tgt box").set_value("1 2").run()
        screen.selectbox(key="run").set_value("demo-en-fr").run()
        assert not screen.exception
        assert not lost(screen)
        assert box(screen) == "the cat sits on the mat"
        assert "not among" not in page_text(screen)
        if path == "attention":
            assert screen.text_input(key="tgt box").value == ""


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("the " * 130, "Only the first 128 of 130 words"),
        ("東京" * 450, "Only the first 800 characters"),
    ],
)
def test_a_cut_sentence_says_how_much_is_left(typed: str, said: str) -> None:
    screen = opened(src=typed.strip())
    assert not screen.exception
    assert said in page_text(screen)


def test_a_typed_sentence_is_in_the_address_whatever_is_written_there_besides() -> None:
    screen = opened(run="demo-en-fr", src="the red house", set="forced:5")
    # as a browser may: with the address of the sentence before
    screen.text_input(key="src").set_value("the cat sleeps").run()
    assert screen.query_params == {"run": "demo-en-fr", "src": "the cat sleeps"}
    screen = opened(run="demo-en-fr")
    screen.text_input(key="src").set_value("").run()
    assert screen.query_params == {
        "run": "demo-en-fr",
        "src": "",
    }  # not the first example, which is left out
