"""Five exercises of the kind that tutorials ask, with what checks them."""

from __future__ import annotations

from s2s.lessons.lesson import Lesson, Step, View
from s2s.lessons.question import (
    ChoiceQuestion,
    HeadQuestion,
    NumberQuestion,
    RunQuestion,
    SentenceQuestion,
)

RUN = {"run": "demo-en-fr"}
# the settings with which the demo runs learn fastest
QUICK = "preset:small,tokenizer.kind:word,tokenizer.shared:false,model.embeddings.shared:false"
SENTENCE = "the cat who chased the mouse was black"

BEAM = Lesson(
    id="exercise-beam",
    title="Add beam search and beat greedy",
    summary="Find where greedy and beam search differ, then show on a test set that beam search is better.",
    minutes=10,
    steps=(
        Step(
            "Where do they differ?",
            "Left greedy search, right beam search: it keeps several beginnings and can end with a more probable "
            "sentence. On easy sentences both write the same.\n\nTry long ones, with *who* or *that* in them, or let "
            "**Find one** search.",
            View(
                "compare",
                {**RUN, "src": SENTENCE, "c1": "demo-en-fr!greedy!", "c2": "demo-en-fr!beam!"},
            ),
            hidden=("controls-compare",),
            question=SentenceQuestion(
                "Find a sentence where greedy and beam search write different texts.",
                "strategies_differ",
                hint="Sentences with a clause inside a clause are hard for this model.",
            ),
        ),
        Step(
            "Is it better?",
            "One sentence proves nothing. This test set has sentences nested more deeply than any in training. Press "
            "**Evaluate**: both strategies translate it, and BLEU compares them with the references.\n\nThe table has "
            "an interval and a paired test beside each score.",
            View(
                "evaluate",
                {
                    **RUN,
                    "set": "test:deep,n:200,strategies:greedy beam,with.beam:num_beams=5",
                },
            ),
            hidden=(
                "every",
                "grouped",
                "runs",
                "strategy settings",
                "sweep a setting",
                "how scores are computed",
            ),
            question=RunQuestion(
                "Show a higher BLEU with beam search than with greedy search; more beams or sentences are allowed.",
                "beam_beats_greedy",
                hint="Start the evaluation, wait for its last line, then check.",
            ),
        ),
    ),
)

REVERSE = Lesson(
    id="exercise-reverse-direction",
    title="Train the reverse direction",
    summary="The demo translates from English into French; train a model that goes the other way.",
    minutes=10,
    steps=(
        Step(
            "Turn the pairs around",
            "The task `reverse_direction` swaps the sides of each pair, so that French becomes the source. The table "
            "shows pairs before and after.",
            View("data", {"set": "view:Task,source:builtin:en-fr,data.task:reverse_direction"}),
            hidden=("origin", "dataset", "dataset actions", "counts"),
            question=ChoiceQuestion(
                "Which part of a trained English-to-French model can write English?",
                (
                    "The decoder, if it runs first.",
                    "None: its output vocabulary has French words only.",
                    "The encoder.",
                ),
                1,
                (
                    "No: its output layer gives a probability to each French token, and to no English one.",
                    "Right: so the reverse direction needs training of its own, with the vocabularies swapped.",
                    "No: an encoder makes vectors and writes nothing.",
                ),
                hint="What does the last layer give a probability to?",
            ),
        ),
        Step(
            "Train it",
            "The recipe is ready. Press **Train**; when the run has ended, open it on Home and type a French "
            "sentence.\n\nThe model has learned the task when it predicts 90 % of the tokens of unseen pairs.",
            View(
                "train",
                {
                    "set": f"source:builtin:en-fr,{QUICK},data.task:reverse_direction,train.lr:0.002,train.steps:450"
                },
            ),
            question=RunQuestion(
                "Train a model that translates from French into English.",
                "reverse_direction_run",
                hint="The token accuracy is on Train, beside the loss.",
            ),
        ),
        Step(
            "One source, two answers",
            "In the five phrases of `mini-en-fr`, *hello* and *good morning* are both *bonjour*. In reverse, "
            "*bonjour* has **two** right answers; the view *Cleaning* counts such sources.\n\nTrain it with the preset "
            "`mini-t5`, and translate *bonjour* on Home: it writes one of the two, at a probability near one half.",
            View(
                "data",
                {
                    "set": "view:Task,source:builtin:mini-en-fr,preset:mini-t5,data.task:reverse_direction"
                },
            ),
            hidden=("origin", "dataset", "dataset actions", "counts"),
            question=ChoiceQuestion(
                "Why can more training not make it certain of its answer?",
                (
                    "The model is too small.",
                    "The loss is lowest where each answer has the share that it has in training: one half.",
                    "The decoder forgets one of them.",
                ),
                1,
                (
                    "No: a larger one sees the same two answers to the same source.",
                    "Right: nothing in the source says which one is meant, so one half each is the best prediction.",
                    "No: both stay probable; greedy search writes the more probable one.",
                ),
                hint="Both pairs are read equally often. Which probabilities have the lowest mean loss?",
            ),
        ),
    ),
)

ALIGNED = "the old doctor saw the small red boat"

ALIGN = Lesson(
    id="exercise-alignment",
    title="Find the head that aligns",
    summary="One head of cross-attention links words and their translations better than the others.",
    minutes=5,
    steps=(
        Step(
            "The head that aligns",
            "The built-in sentences come with a gold alignment: which word translates which. Each head links a "
            "written word to the source word with most weight, and the **AER** is its error rate: 0 is perfect.\n\n"
            "A frame marks the best head of each grid. Does another one align nearly as well?",
            View("heads", {**RUN, "set": "view:alignment,links:target"}),
            hidden=("controls heads", "controls sentences", "own alignment", "links"),
            question=HeadQuestion(
                "Leave out the framed head. Which of the others aligns best, by the grid of the plain *Weights*?",
                "cross",
                "next_aligning_head",
                hint="Smaller is better; the first grid has the plain weights. Point at a cell, or tap it: it says its "
                "95 % interval.",
            ),
        ),
        Step(
            "All heads at once",
            "Here are all heads of cross-attention for one sentence. A head **aligns** if each written word looks at "
            "the word that it translates: *le* at *the*, *rouge* at *red*. Others look one word ahead.\n\nCompare "
            "their first rows: an article also has to know its noun.",
            View("attention", {**RUN, "src": ALIGNED, "kind": "cross"}),
            hidden=("examples", "settings"),
            question=HeadQuestion(
                "Name a head in which every French word looks mostly at the English word that it translates.",
                "cross",
                ((1, 2), (1, 3), (2, 1), (2, 3), (2, 4)),
                hint="Row 1, *le*: most weight is on *the*, not on *old* or *doctor*.",
            ),
        ),
    ),
)

EMBEDDINGS = Lesson(
    id="exercise-embeddings",
    title="Shared against separate embeddings",
    summary="One table of vectors for both languages, or two: what it costs, and which is better here.",
    minutes=15,
    steps=(
        Step(
            "What a table costs",
            "An embedding matrix has a row for each token of the vocabulary, and each row has `d_model` numbers. This "
            "run has its own matrix for the source.\n\nThe page shows this part alone. Below *Weights* are its rows "
            "and columns: rows × columns = parameters. What if the vectors were wider?",
            View("architecture", {**RUN, "set": "view:parameters,part:encoder.tokens"}),
            hidden=("controls model", "diagram"),
            question=NumberQuestion(
                "How many parameters would the source embedding of this run have with a `d_model` of 192?",
                "parameters_of_a_wider_embedding",
                tolerance=0,
                hint="The rows stay: one per token of the vocabulary. Each row would have 192 numbers.",
            ),
        ),
        Step(
            "Train both",
            "The recipe shares one matrix. Press **Train**. Then switch only *Shared embeddings* off, "
            "and press it again with the same seed.\n\nSide by side on Runs you see both curves.",
            View("train", {"set": "source:builtin:en-fr,preset:small,train.steps:300"}),
            question=RunQuestion(
                "Train two models that differ in nothing but the sharing of embeddings.",
                "shared_and_separate_runs",
                hint="The setting is in the section Model of the recipe. Dataset, seed and updates stay the same.",
            ),
        ),
    ),
)

TASKS = Lesson(
    id="exercise-tasks",
    title="One model for several tasks",
    summary="A prefix tells a text-to-text model what to do; train one that does every task.",
    minutes=15,
    steps=(
        Step(
            "The prefix decides",
            "`demo-tasks` has learned several tasks at once, as T5 did. Its sources begin with a prefix that names "
            "the task.\n\nKeep the words after the prefix, and replace *reverse:* by another prefix that the line "
            "under the title names.",
            View("", {"run": "demo-tasks", "src": "reverse: blue house coat new"}),
            question=SentenceQuestion(
                "Make the model do another task than reverse.",
                "another_prefix",
                hint="Each prefix ends in a colon.",
            ),
        ),
        Step(
            "Train one of your own",
            "Nothing in the model is made for several tasks: all of them are pairs of texts. The recipe mixes the "
            "tasks of the built-in dataset; it takes some minutes. Watch the samples: which task is learned first?",
            View(
                "train",
                {
                    "set": f"source:builtin:tasks,{QUICK},model.positions.kind:rotary,train.lr:0.002,train.steps:1500"
                },
            ),
            question=RunQuestion(
                "Train one model that does all tasks of the dataset, at 90 % of the tokens.",
                "several_tasks_run",
                hint="The token accuracy is on Train, beside the loss.",
            ),
        ),
    ),
)

EXERCISES = (BEAM, REVERSE, ALIGN, EMBEDDINGS, TASKS)
