"""Lesson 1: what a sequence-to-sequence transformer is."""

from __future__ import annotations

from s2s.lessons.lesson import Lesson, Step, View
from s2s.lessons.question import ChoiceQuestion, HeadQuestion, NumberQuestion, SentenceQuestion

START = {"run": "demo-en-fr", "src": "the red house is old"}
# on Attention: all controls but layer and head
PICTURE_ONLY = ("examples", "settings", "view", "finding map")
ELSEWHERE = "No: find the row *rouge* in the picture; its brightest cell is in another column."

LESSON = Lesson(
    id="five-minutes",
    title="Five minutes: what a sequence-to-sequence transformer is",
    summary="Type a sentence, see its translation, change a word, see what the model attends to, send a link.",
    minutes=5,
    steps=(
        Step(
            "A sentence goes in, a sentence comes out",
            "The box has an English sentence, the large line its French translation. The model has two halves: the "
            "**encoder** reads the English and turns each word into a list of numbers; the **decoder** reads these "
            "and writes the French, **one token at a time**.\n\n"
            "The boxes next to or below the picture are these tokens. The last, `</s>`, ends it.",
            View("", {**START, "layer": "2", "head": "mean"}),
            question=NumberQuestion(
                "How many tokens does the model write here? Count `</s>`, too.",
                "output_tokens",
                tolerance=0,
                hint="Count the boxes with percentages, or the tokens in the drawing under the picture.",
            ),
        ),
        Step(
            "Change a word",
            "Nothing here is stored in advance. Replace one word in the box: the model reads the new sentence and "
            "writes its translation again.\n\nOther words may change with it: in French, articles and adjectives "
            "agree with their noun.",
            View("", {**START, "layer": "2", "head": "mean"}),
            hidden=("chips",),
            question=SentenceQuestion(
                "Replace one word by another that the model knows. Then press Check.",
                "one_word_changed",
                hint="Write *book* in place of *house*.",
            ),
        ),
        Step(
            "What it attends to",
            "Each row is a French token that the decoder predicts; each column is an English one. A bright cell says: "
            "for this token, the decoder reads mostly what the encoder made of that word. This is "
            "**cross-attention**.\n\n"
            "French writes *rouge* after *maison*. See which word its row attends to.",
            View("attention", {**START, "kind": "cross", "layer": "2", "head": "mean"}),
            hidden=PICTURE_ONLY,
            question=ChoiceQuestion(
                "Which English token does the model attend to most when it predicts *rouge*?",
                ("the", "red", "house", "is", "old", "</s>"),
                "attended_by_adjective",
                (
                    ELSEWHERE,
                    "Right: the third French word comes from the second English one. Attention finds it although the "
                    "order differs.",
                    ELSEWHERE,
                    ELSEWHERE,
                    ELSEWHERE,
                    ELSEWHERE,
                ),
                hint="Point at the cells of the row *rouge*, or tap them: each says its weight.",
            ),
        ),
        Step(
            "Each head attends in its own way",
            "Each layer has four **heads**, whose weights differ. Most of them match words: *la* with "
            "*the*.\n\nBut *la* has to agree with its noun: *maison* is feminine. Some heads attend to *house* when "
            "the model predicts *la*. Choose a layer and a head above the picture, and find one.",
            View("attention", {**START, "kind": "cross", "layer": "1", "head": "2"}),
            hidden=PICTURE_ONLY,
            question=HeadQuestion(
                "Find a head that gives *house* at least half of its weight in the row *la*.",
                "cross",
                "article_attends_to_noun",
                hint="The small pictures next to or below the large one show all heads. Begin with layer 1.",
            ),
        ),
        Step(
            "Two ways to write, and a link",
            "The model only gives probabilities. **Greedy** search always takes the most probable next token; **beam** "
            "search keeps several beginnings.\n\nPress **Share**: its link opens exactly this view, with the sentence, "
            "the settings, and this step. That is how you send others what you see.",
            View(
                "compare",
                {**START, "c1": "demo-en-fr!greedy!", "c2": "demo-en-fr!beam!num_beams:5"},
            ),
            hidden=("chips", "controls-compare", "c2 length_penalty outlook", "c2 same"),
            question=ChoiceQuestion(
                "Do greedy search and beam search write the same translation of this sentence?",
                ("Yes, the same", "No, they differ"),
                "greedy_and_beam",
                (
                    "Right: where one token is clearly the most probable at each step, both find the same sentence.",
                    "No: compare the two translations word by word.",
                ),
                hint="Read the large line of each column.",
            ),
        ),
    ),
)
