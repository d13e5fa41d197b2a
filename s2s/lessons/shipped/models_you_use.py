"""Lesson 6: from this model to T5, and to the models that people talk to."""

from __future__ import annotations

from s2s.lessons.lesson import Lesson, Step, View
from s2s.lessons.question import ChoiceQuestion, NumberQuestion, RunQuestion

SENTENCE = "the red house is old"
RUN = {"run": "demo-en-fr"}
# on Data: all but the task and its table
ON_DATA = (
    *("origin", "dataset", "dataset actions", "counts"),
    *(
        f"set data.{name}"
        for name in ("noise_rate", "noise_span", "prefix", "valid_share", "held_out")
    ),
)
# T5 has 0.15 and 3, which hides one word in sentences as short as these; so most have two gaps.
SPANS = "data.task:denoise,data.noise_rate:0.4,data.noise_span:1.2"

LESSON = Lesson(
    id="models-you-use",
    title="From here to the models you use",
    summary="Encoder, decoder-only, encoder-decoder; T5's sizes; what pre-training adds; what a chat model does.",
    minutes=20,
    steps=(
        Step(
            "Three families, and their masks",
            "A mask says which words a word may look at. An **encoder** (BERT) sees all words. A **decoder-only** "
            "model (GPT, most chat models) sees only what comes before. An **encoder-decoder** (this model, T5) has "
            "both, and cross-attention from one to the other.\n\nThe page shows the three masks of this model.",
            View("architecture", {**RUN, "src": SENTENCE, "set": "view:masks"}),
            hidden=("controls model", "diagram", "part"),
            question=ChoiceQuestion(
                "A chat model has only a decoder. Where does it read your question?",
                (
                    "In its encoder, before it starts to write.",
                    "In the same sequence: question first, then the answer, each word seeing all before it.",
                    "In cross-attention.",
                ),
                1,
                (
                    "It has none: a decoder-only model has one stack.",
                    "Right: the question is a prefix of the text that it continues.",
                    "It has none: cross-attention reads an encoder's vectors, and there is no encoder.",
                ),
                hint="Its only mask is the one of the decoder's self-attention.",
            ),
        ),
        Step(
            "The same drawing, larger",
            "T5 has the parts that you see here: embeddings, attention, feed-forward layers, residual connections. "
            "Its sizes differ only in width, depth and the number of heads.\n\nThe page compares `t5-small` with "
            "`t5-11b`, the smallest and the largest that were published in 2020. Bars below the drawing "
            "count their parameters.",
            View("architecture", {**RUN, "set": "model:t5-small,against:t5-11b"}),
            hidden=("batch", "src_len", "tgt_len", "part"),
            question=NumberQuestion(
                "How many times as many parameters as t5-small does t5-11b have?",
                "times_as_large",
                tolerance=3,
                hint="Divide the two numbers of parameters.",
            ),
        ),
        Step(
            "What grows with every word",
            "While it writes, a model keeps the keys and values of what it has read: the **cache**. Without it, every "
            "new word would mean computing all earlier ones again.\n\nThe curve has its "
            "bytes by length. For long chats this, and not the weights, fills the memory.",
            View(
                "architecture",
                {**RUN, "set": "model:t5-small,view:costs,vary:length,cost:cache,batch:1"},
            ),
            hidden=("controls model", "diagram", "part"),
            question=ChoiceQuestion(
                "A text becomes twice as long. The cache then takes",
                ("as much memory", "twice as much memory", "four times as much memory"),
                1,
                (
                    "No: each token adds its keys and values in every layer.",
                    "Right: one key and one value for each token, head and layer.",
                    "No: the number of *weights* of attention grows so, and they are not kept.",
                ),
                hint="Read the curve at two lengths.",
            ),
        ),
        Step(
            "Learning without translations",
            "Pairs are rare, plain text is not. T5 was **pre-trained** by span corruption: marks replace some words of "
            "a text, and the model writes what was hidden. T5's example: `Thank you <X> me to your party <Y> week.` "
            "becomes `<X> for inviting <Y> last <Z>`.\n\nThe table has inputs and outputs, with more gaps since "
            "these sentences are short.",
            View("data", {"set": f"view:Task,source:builtin:en-fr,{SPANS}"}),
            hidden=ON_DATA,
            question=ChoiceQuestion(
                "What is the target, the text that the model has to write?",
                (
                    "The whole sentence, with the hidden words filled in.",
                    "Only the hidden words, each after its mark.",
                    "The translation of the sentence.",
                ),
                1,
                (
                    "That is what BART does. T5's targets are shorter, so that training is cheaper.",
                    "Right: the marks say which gap the words belong to.",
                    "No: no translation is needed, and that is the point.",
                ),
                hint="Compare the two columns.",
            ),
        ),
        Step(
            "Train it yourself",
            "The recipe is ready: a small model, span corruption, the English side of the dataset. Press "
            "**Train** and watch the loss.\n\nIt cannot fall to 0: where several words fit, nobody can know which one "
            "was hidden.",
            View(
                "train",
                {
                    "set": f"source:builtin:en-fr,preset:small,{SPANS},train.steps:100,train.warmup_steps:20"
                },
            ),
            question=RunQuestion(
                "Train a model on span corruption; check when it has finished.",
                "span_corruption_run",
                hint="The button is below the forecast. Leave the page if you like: training continues.",
            ),
        ),
        Step(
            "Then the task: fine-tuning",
            "A pre-trained model knows words and how they go together. **Fine-tuning** starts from its weights, not "
            "from random ones, and needs fewer pairs for a task.\n\nThe form is filled: this run would start from "
            "`demo-en-fr`. Under *Initialize from a run* you may choose another one, such as that of the step before.",
            View(
                "train",
                {
                    "set": "source:builtin:en-fr,preset:small,start from:demo-en-fr,tokenizer.kind:word,"
                    "tokenizer.shared:false,model.embeddings.shared:false"
                },
            ),
            question=ChoiceQuestion(
                "What does pre-training add?",
                (
                    "Weights that start near a solution: fewer pairs and fewer updates for the task.",
                    "More parameters.",
                    "Another architecture.",
                ),
                0,
                (
                    "Right: nothing else of the model changes.",
                    "No: shape and number of parameters stay the same.",
                    "No: the architecture stays; only the weights at the start are others.",
                ),
                hint="What is copied from the other run?",
            ),
        ),
        Step(
            "One word at a time, like a chat model",
            "The picture shows the probabilities of the next token. A chat model does exactly this, with a larger "
            "vocabulary: a distribution, one token drawn from it, and again.\n\nWhat you know of greedy search, "
            "temperature and top-p holds there, too.",
            View("steps", {**RUN, "src": SENTENCE, "set": "view:next"}),
            hidden=(
                "chips",
                "controls search",
                "candidates",
                "token probabilities",
                "at",
                "log_scale",
            ),
            question=ChoiceQuestion(
                "Why does a chat model answer the same question differently each time?",
                (
                    "It learns from every conversation.",
                    "Its weights are random.",
                    "It samples the next token from the distribution instead of taking the most probable one.",
                ),
                2,
                (
                    "No: the weights do not change while it writes.",
                    "No: they are the same for everybody who uses that model.",
                    "Right: with greedy search it would always answer the same.",
                ),
                hint="Which strategies on Compare give another output with another seed?",
            ),
        ),
        Step(
            "Open a published model",
            "Here you can open T5, Marian, BART, mBART, Pegasus and M2M100 checkpoints, by their names on the Hugging "
            "Face Hub or from a folder. They become runs: **every page works with them**.\n\nWhat a chat model adds "
            "is size, much more text, and training on people's preferences.",
            View("runs", {"set": "tab:open-a-model"}),
        ),
        Step(
            "Mini-T5 beside T5",
            "`mini-t5` has T5's plan with 64 numbers per token instead of 512, three layers instead of six, and "
            "learned instead of relative positions.\n\nThe drawing marks what differs; below it are the parameters of "
            "both. Most of either are in its layers. T5 has no output matrix of its own: it uses its embeddings again.",
            View("architecture", {**RUN, "set": "model:mini-t5,against:t5-small"}),
            hidden=("batch", "src_len", "tgt_len", "part"),
            question=NumberQuestion(
                "How many times as many parameters as mini-t5 does t5-small have?",
                "times_as_large",
                tolerance=3,
                hint="Divide the two numbers of parameters.",
            ),
        ),
    ),
)
