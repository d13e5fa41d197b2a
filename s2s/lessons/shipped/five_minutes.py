"""Lesson 1: what a sequence-to-sequence transformer is."""

from __future__ import annotations

from s2s.lessons.lesson import Lesson, Step, View
from s2s.lessons.question import NumberQuestion, SentenceQuestion

SENTENCE = "the red house is old"
RUN = {"run": "demo-en-fr"}

LESSON = Lesson(
    id="five-minutes",
    title="Five minutes: what a sequence-to-sequence transformer is",
    summary="Type a sentence, see its translation, change a word, see what the model attends to, share the view.",
    minutes=5,
    steps=(
        Step(
            "A sentence goes in, a sentence comes out",
            "The box has an English sentence. The large line under it is the French translation that this model "
            "writes, **one token at a time**. The last token is `</s>`: it ends the sentence.\n\nThe drawing at the "
            "end of the page shows the tokens of both sides.",
            View("", {**RUN, "src": SENTENCE}),
            question=NumberQuestion(
                "How many tokens does the model write here? Count `</s>`, too.",
                "output_tokens",
                tolerance=0,
                hint="The drawing at the end of the page lists them under *Decoder*.",
            ),
        ),
        Step(
            "Change a word",
            "Nothing here is stored in advance. Replace one word of the sentence and press Enter: the model reads the "
            "new sentence and writes its translation again.\n\nOther words may change with it: a French adjective "
            "agrees with its noun.",
            View("", {**RUN, "src": SENTENCE}),
            question=SentenceQuestion(
                "Replace one word by another that the model knows, then check.",
                "one_word_changed",
                hint="Try *book* in place of *house*.",
            ),
        ),
    ),
)
