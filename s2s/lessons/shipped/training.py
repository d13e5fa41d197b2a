"""Lesson 4: what happens while a model learns, and how to read it."""

from __future__ import annotations

from s2s.lessons.lesson import Lesson, Step, View
from s2s.lessons.question import ChoiceQuestion, NumberQuestion, RunQuestion

RUN = "demo-en-fr"
WAY = ("walk way", "walk progress", "walk below")  # the Walkthrough's own Previous and Next
FORM = ("new run", "run-notes", "run-metrics")  # on Train, where a step is about the curves
# The demo's vocabulary and embeddings; a small model with the shortest sentences only.
LIKE_DEMO = (
    "source:builtin:en-fr,preset:small,tokenizer.kind:word,tokenizer.shared:false,"
    "model.embeddings.shared:false"
)
FEW_SENTENCES = (
    f"{LIKE_DEMO},data.clean.max_words:3,model.d_model:64,model.dropout:0,train.steps:200,"
    "train.warmup_steps:20,train.batch_tokens:512,train.label_smoothing:0,train.watch.validate_every:20"
)
FINE_TUNING = (
    f"start from:{RUN},{LIKE_DEMO},train.steps:60,train.lr:0.0005,train.warmup_steps:10,"
    "train.watch.validate_every:20"
)

CURVES = Step(
    "Learning curves",
    "Each update uses a batch of sentences. The curve shows the **loss** by step: falling means learning."
    " **Training** loss is measured on what it learns from, **validation** loss on sentences that it never learns"
    " from. Only the second says how it does on new ones.",
    View("train", {"run": RUN, "set": "curve:loss"}),
    hidden=FORM,
    question=NumberQuestion(
        "At which of its marks is the validation loss below 0.1 for the first time? Give the step.",
        "first_good_step",
        tolerance=20,
        hint="Point at the diamonds or tap them, or turn on *Log scale* to tell small losses apart.",
    ),
)

WARMUP = Step(
    "Warmup: small steps first",
    "The **learning rate** scales each update of the weights. At first the gradients are large and point"
    " anywhere, so training starts with small steps and raises the rate: **warmup**. Later the rate falls, so that"
    " the weights settle."
    "\n\nLook where the curve turns.",
    View("train", {"run": RUN, "set": "curve:lr"}),
    hidden=FORM,
    question=NumberQuestion(
        "At which step is the learning rate highest?",
        "highest_rate_step",
        tolerance=10,
        hint="It is also the setting *warmup_steps*.",
    ),
)

FORCING = Step(
    "Teacher forcing",
    "In training, the decoder reads the **correct** tokens, whatever it would have chosen: **teacher forcing**. So all"
    " positions can be computed at once. When it translates, it reads its **own** tokens.\n\nThe table has both, for"
    " the target *la grande maison*: compare *teacher: reads* with *free: reads*.",
    View(
        "walkthrough",
        {"run": RUN, "src": "the red house", "tgt": "la grande maison", "set": "step:forcing"},
    ),
    hidden=(*WAY, "walk settings", "walk difference"),
    question=NumberQuestion(
        "At which position do both read different tokens for the first time?",
        "first_differing_position",
        tolerance=0,
        hint="Compare the two columns *reads*; what differs is underlined.",
    ),
)

SMOOTHING = Step(
    "Label smoothing: never quite certain",
    "This model was trained with **label smoothing** 0.1: the correct token is not given all the probability; a tenth"
    " is spread over all tokens. So the model stays less certain, and small mistakes in the data hurt less."
    "\n\nThe longest bar shows it: not near 100 %.",
    View(
        "walkthrough",
        {"run": RUN, "src": "the red house", "set": "step:probabilities,position:1"},
    ),
    hidden=(*WAY, "walk settings"),
    question=NumberQuestion(
        "Which probability does training want for the correct token here? There are 780 tokens.",
        "smoothed_target_percent",
        tolerance=0.1,
        unit="%",
        hint="All but a tenth, and one of 780 equal parts of that tenth.",
    ),
)

SCORES = Step(
    "The loss is not the score",
    "BLEU compares whole translations with references, during training, here of 50 sentences. The loss looks at"
    " single tokens under teacher forcing. Both get better, but not together.\n\nLook for the highest point, then press"
    " *Loss*: its lowest point is at step 5,700.",
    View("train", {"run": "demo-tasks", "set": "curve:bleu"}),
    hidden=FORM,
    question=ChoiceQuestion(
        "Is BLEU highest where the validation loss is lowest?",
        ("Yes", "No"),
        "bleu_peaks_where_loss_is_lowest",
        (
            "No: several earlier checkpoints have a higher BLEU. With so few sentences, such differences are noise.",
            "Right: earlier ones are higher. With so few sentences such differences are noise, so do not choose by it.",
        ),
        hint="Compare BLEU at step 5,700 with that at step 5,100.",
    ),
)

OVERFITTING = Step(
    "Overfitting: learned by memory",
    "A model can **memorize** what it learns from. Then training loss keeps falling, while validation loss rises:"
    " **overfitting**. More data, dropout and stopping early help.\n\nThe form is filled to provoke it: only sentences"
    " of up to 3 words, no dropout. Press **Train** and watch both curves.",
    View("train", {"run": RUN, "set": FEW_SENTENCES}),
    question=RunQuestion(
        "Train a model that overfits, then check.",
        "overfitted_run",
        hint="Press Train; how long this takes is next to it. Its warning counts all pairs, also those left out.",
    ),
)

FINE_TUNED = Step(
    "Fine-tuning: initialize from a run",
    "Training need not begin with random weights. **Fine-tuning** begins with the weights of another run and continues,"
    " mostly on other data, with a smaller learning rate. It often needs fewer steps.\n\nHere the weights are"
    f" those of {RUN}. Press **Train**, and look at the loss at step 0.",
    View("train", {"run": RUN, "set": FINE_TUNING}),
    question=RunQuestion(
        "Fine-tune a run, then check.",
        "fine_tuned_run",
        hint="Press Train. Under *Initialize from a run* you see where the weights come from.",
    ),
)

LESSON = Lesson(
    id="training",
    title="Training",
    summary="Learning curves, warmup, teacher forcing, label smoothing, overfitting; fine-tuning from a run.",
    minutes=25,
    steps=(CURVES, WARMUP, FORCING, SMOOTHING, SCORES, OVERFITTING, FINE_TUNED),
)
