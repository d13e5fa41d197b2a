"""What is said between a sentence and its translation."""

import pytest

import s2s
from s2s.questions import source_as_it_is
from s2s.ui.kit import vocabulary
from tests.screen import box, opened, page_markdown, page_text


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
        ("The dog 🎉🎉!", ["**🎉** is not among the known characters: its translation is a guess."]),
        ("The dog🎉 Ж", ["**🎉** and **Ж** are not among the known characters: their translations are guesses."]),
        (
            "The d\u0304og",
            [
                "**\u25cc\u0304** is not among the known characters: its translation is a guess."
                " **d\u0304og** is not in the training data: its translation is a guess."
            ],
        ),
        (
            "Der Hund ist hier",
            [
                "The translation is a guess: 4 of 4 words are not in the training data"
                " (**Der**, **Hund**, **ist** and **hier**)."
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
    source = source_as_it_is(s2s.load(sentence_run))
    monkeypatch.setattr(vocabulary, "LANGUAGES", {source: ("English", "German")})
    said = page_text(opened(run=sentence_run, src="Der Hund saw mich"))
    assert "This does not look like English: 3 of 4 words are not in the training data" in said
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


@pytest.mark.parametrize(("page", "n_lines"), [("", 2), ("compare", 1), ("attention", 1)])
def test_several_sentences_leave_room_for_the_line_about_them(
    sentence_run: str, page: str, n_lines: int
) -> None:
    text = "THE ZEUGMA SAW THE DOG AND THE CAT. IS IT HERE? GO ON."
    said = [line for line in notices(sentence_run, text, page) if "one sentence" not in line]
    read = "The zeugma saw the dog and the cat. "
    assert said[0] == f"The model reads: {read}" + (
        "is it here? go on." if page else "Is it here? Go on."
    )
    assert len(said) == n_lines


def test_another_language_is_said_to_be_one() -> None:
    screen = opened(run="demo-en-de", src="Ich bin heute sehr müde")
    assert "This does not look like English: 4 of 5 words" in page_text(screen)
    assert "does not look" not in page_text(opened(run="demo-en-de", src="I am very tired today"))


SAID = "**zeugma** is not in the training data: its translation is a guess."


@pytest.mark.parametrize(
    ("page", "state"),
    [
        ("", ""),
        ("compare", ""),
        ("steps", ""),
        ("attention", ""),
        ("heads", "view:ablation"),
        ("heads", "view:patching"),
        ("states", ""),
        ("walkthrough", ""),
        ("positions", "view:model"),
        ("architecture", "view:masks"),
    ],
)
def test_every_page_with_a_sentence_names_its_new_words(
    sentence_run: str, page: str, state: str
) -> None:
    screen = opened(page, run=sentence_run, src="I saw the zeugma", set=state)
    assert not screen.exception
    assert SAID in page_text(screen).splitlines()


@pytest.mark.parametrize(
    ("page", "state", "where"),
    [
        ("heads", "view:patching,second:I saw the zeugma", "In source B"),
        ("states", "second:I saw the zeugma", "In the second sentence"),
    ],
)
def test_a_second_sentence_has_its_new_words_named_too(
    sentence_run: str, page: str, state: str, where: str
) -> None:
    screen = opened(page, run=sentence_run, src="I saw the cat", set=state)
    assert not screen.exception
    assert f"{where}: {SAID}" in page_text(screen)


def test_a_column_of_another_run_names_the_words_that_are_new_to_it(sentence_run: str) -> None:
    screen = opened("compare", run="demo-en-fr", src="the cat sleeps", c1="", c2=sentence_run)
    assert not screen.exception
    assert "**sleeps** is not in the training data: its translation is a guess." in page_text(
        screen
    )
