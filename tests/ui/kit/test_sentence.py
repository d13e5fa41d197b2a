import pytest

import s2s
from s2s.ui.kit import vocabulary
from tests.screen import box, lost, opened, page_markdown, page_text


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
    assert screen.query_params == {"src": "the cat sleeps"}
    screen = opened(run="demo-en-fr")
    screen.text_input(key="src").set_value("").run()
    assert screen.query_params == {"src": ""}  # not the first example, which is left out


def notices(run: str, text: str, page: str = "") -> list[str]:
    """What a page says between a sentence and its translation."""
    screen = opened(page, run=run, src=text)
    assert not screen.exception
    said = page_text(screen).splitlines()
    beginnings = ("The model reads", "The translation is a guess", "The model was", "This model")
    return [
        line
        for line in said
        if line.startswith(beginnings) or "is a guess." in line or "guesses" in line
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The dog saw the cat", []),
        ("THE DOG SAW THE CAT.", ["The model reads: The dog saw the cat."]),
        ("The zeugma saw it", ["**zeugma** and **it** are not in the training data: their translations are guesses."]),
        ("I saw the dog's zeugma", ["**zeugma** is not in the training data: its translation is a guess."]),
        ("zeugma", ["**zeugma** is not in the training data: its translation is a guess."]),
        ("The dog 🎉🎉!", ["**🎉🎉** is not among the known characters: its translation is a guess."]),
        ("The dog🎉 Ж", ["**🎉** and **Ж** are not among the known characters: their translations are guesses."]),
        (
            "Der Hund ist hier",
            [
                "The translation is a guess: 4 of 4 words are not in the training data."
                " Type another sentence, or choose an example."
            ],
        ),
        (
            "the dog saw the cat and the",
            [
                "**and** is not in the training data: its translation is a guess.",
                "The model was trained on sentences of at most 6 words; longer ones are often translated badly.",
            ],
        ),
        (
            "THE DOG SAW THE CAT AND THE",
            [
                "The model reads: The dog saw the cat and the",
                "**AND** is not in the training data: its translation is a guess.",
            ],
        ),
    ],
)  # fmt: skip
def test_a_model_of_subwords_says_what_it_does_not_know_in_at_most_two_lines(
    sentence_run: str, text: str, said: list[str]
) -> None:
    assert notices(sentence_run, text) == said


def test_another_language_is_named_where_that_of_the_model_is_known(
    sentence_run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = vocabulary.source_as_it_is(s2s.load(sentence_run))
    monkeypatch.setattr(vocabulary, "LANGUAGES", {source: ("English", "German")})
    said = page_text(opened(run=sentence_run, src="Der Hund saw mich"))
    assert "This does not look like English: 3 of 4 words are not in the training data." in said
    assert "Type English, or choose an example." in said


def test_what_visitors_write_stays_text_in_notices(sentence_run: str) -> None:
    screen = opened(run=sentence_run, src="The :material/home: **cat** <b>dog</b>")
    assert not screen.exception
    text = page_markdown(screen)
    assert ":material/home:" not in text
    assert "<b>" not in text


@pytest.mark.parametrize("page", ["compare", "attention", "steps"])
def test_each_of_several_sentences_can_be_put_into_the_box(sentence_run: str, page: str) -> None:
    screen = opened(page, run=sentence_run, src="I saw the dog. Where is it? She went. Here!")
    assert not screen.exception
    assert "This model reads one sentence at a time" in page_text(screen)
    labels = [each.label for each in screen.button if str(each.key).startswith("sentence ")]
    assert [label.replace("\\", "") for label in labels] == [
        "I saw the dog.",
        "Where is it?",
        "She went.",
    ]
    screen.button(key="sentence 1").click().run()
    assert not screen.exception
    assert box(screen) == "Where is it?"
    assert "one sentence at a time" not in page_text(screen)


def test_a_model_of_texts_is_given_several_sentences_at_once() -> None:
    screen = opened("compare", run="demo-tasks", src="summarize: snow fell . the queen slept .")
    assert "one sentence at a time" not in page_text(screen)
    assert vocabulary.of(s2s.load("demo-tasks")).sentences_of("a . b .") == ("a . b .",)
