"""Lesson 3: from probabilities to a text, and what failed where the text is wrong."""

from __future__ import annotations

from s2s.lessons.lesson import Lesson, Step, View
from s2s.lessons.question import ChoiceQuestion, NumberQuestion, SentenceQuestion

RUN = "demo-en-fr"
# Deeper than what the model was trained on, so that it is unsure.
KING = "the king who has the toys that the woman has arrives in spring"
FRIEND = "the friend who knows the easy story that the kings know ran"
ARTIST = "the artist who knows the soldier who finds the right answers works"
ARTIST_REFERENCE = "l'artiste qui connaît le soldat qui trouve les bonnes réponses travaille"
EXAMPLES = ("chips",)  # controls that lead away from the step
FOCUS = (*EXAMPLES, "controls search")
BARS = (
    *EXAMPLES,
    "view",
    "at",
    "token probabilities",
    "candidates",
    "log_scale",
)  # all but the bars
WATER = "the water is cold"  # *a* and *est* are nearly as probable


def _steps(src: str, search: str, **values: str) -> View:
    return View("steps", {"run": RUN, "src": src, **values, "set": search})


GREEDY = Step(
    "Greedy: the best token, again and again",
    "**Greedy** search takes the most probable token at each step and never goes back. The tree is a single line;"
    " below each token is the log-probability of everything so far.\n\nHere it forgets the woman: after *jouets*, one"
    " wrong token decides the rest. (Log-probability 0 means certain.)",
    _steps(KING, "strategy:greedy,view:tree"),
    hidden=FOCUS,
    question=NumberQuestion(
        "What is the log-probability of the whole output, in nats?",
        "written_log_prob",
        tolerance=0.02,
        unit="nats",
        hint="The table of finished hypotheses has it; so has the last node of the thick line.",
    ),
)

BEAM = Step(
    "Beam search: keep several",
    "**Beam search** keeps the `num_beams` best prefixes, here two, and extends both. So *que*, second at its step, may"
    " win later. Crosses are pruned.\n\nGreedy missed a more probable output: that is a **search error**. The finished"
    " hypotheses below show both.",
    _steps(KING, "strategy:beam,num_beams:2,view:tree"),
    hidden=FOCUS,
    question=NumberQuestion(
        "How many times as probable is this output as the greedy one?",
        "times_as_probable_as_greedy",
        tolerance=0.1,
        hint="e to the difference of their log-probabilities; the greedy one is in the table, too.",
    ),
)

LENGTH_PENALTY = Step(
    "Length penalty: short or long?",
    "Each token multiplies the probability by a number below 1, so longer outputs get less probable. The **score**"
    " divides the log-probability by the length to the power of `length_penalty`: larger values favor longer"
    " outputs.\n\nMove the slider below the tree: it ranks the same hypotheses again. One forgets that the friend"
    " ran.",
    _steps(FRIEND, "strategy:beam,num_beams:5,view:tree"),
    hidden=(*FOCUS, "steps length_penalty outlook"),
    question=NumberQuestion(
        "At length_penalty 0, how many tokens does the first hypothesis have?",
        "tokens_without_length_penalty",
        tolerance=0,
        hint="Set the slider to 0 and read the column *tokens* of rank 1.",
    ),
)

DIFFER = Step(
    "When do greedy and beam search differ?",
    "Two columns: the same sentence by greedy and by beam search. On easy sentences both write the same, because one"
    " token is always far ahead.\n\nMake it hard: nest two clauses, such as *who knows the ... that ...*. The model has"
    " seen such sentences rarely or never.",
    View(
        "compare",
        {
            "run": RUN,
            "src": "the red house is old",
            "c1": f"{RUN}!greedy!",
            "c2": f"{RUN}!beam!num_beams:5",
        },
    ),
    hidden=("controls-compare",),
    question=SentenceQuestion(
        "Find a sentence for which greedy and beam search write different texts.",
        "strategies_differ",
        hint=f"Press *Find one*, or change nouns or verbs in: {KING}.",
    ),
)

SAMPLING = Step(
    "Sampling: draw instead of choose",
    "**Sampling** draws each token by its probability, so outputs vary. Look at the bars: at position 2, *a* and"
    " *est* are nearly equally probable. A long tail of others has a little probability, too.\n\nA single bad draw"
    " spoils the sentence. Change the seed under *Search settings*.",
    _steps(WATER, "strategy:sample,view:next,at:2"),
    hidden=(*BARS, "strategy", "step", "filter_temperature"),
    question=NumberQuestion(
        "How much probability do all tokens but the two best have together?",
        "tail_percent",
        tolerance=1,
        unit="%",
        hint="100 % minus the two longest bars.",
    ),
)

FILTERS = Step(
    "Temperature and filters: remove the tail",
    "**Temperature** divides the logits: below 1, probable tokens get more probable. **Filters** remove improbable"
    " ones: `top_k` keeps the k best, `top_p` the fewest that hold that share, `min_p` all that are close enough to the"
    " best.\n\nMove the temperature; the table counts what is left.",
    _steps(WATER, "strategy:sample,view:next,at:2"),
    hidden=(*BARS, "controls search"),
    question=NumberQuestion(
        "At temperature 0.5, how many tokens does top_p 0.95 keep?",
        "kept_when_cold",
        tolerance=0,
        hint="Set the temperature to 0.5; the row top_p of the table has the column *tokens left*.",
    ),
)

MBR = Step(
    "Minimum Bayes risk: the most typical sample",
    "**MBR** draws many samples and takes the one that is most similar to all others: the consensus, not the most"
    " probable. Each row is a sample, each column what it is compared with; the highest mean wins.\n\nCompare the means"
    " with the log-probabilities in the table.",
    _steps(FRIEND, "strategy:mbr,view:samples"),
    hidden=(*FOCUS, "samples verdict"),
    question=ChoiceQuestion(
        "Is the winner the sample that the model finds most probable?",
        ("Yes", "No"),
        "mbr_prefers_the_most_probable",
        (
            "No: the most probable one stops early; on average it is less similar to all samples.",
            "Right: the most probable one stops early; on average it is less similar to all samples.",
        ),
        hint="Which log-probability in the table is closest to 0?",
    ),
)

BLAME = Step(
    "Search error or model error?",
    "The reference is what we wanted. If the model finds it **more probable** than what was written, the search"
    " missed it: **search error**. If **less probable**, no search could help: **model error**; the model"
    " prefers another text.\n\nBeam search wrote *sait*; the right word here is *connaît*, which greedy finds.",
    _steps(ARTIST, "strategy:beam,num_beams:5,view:reference", tgt=ARTIST_REFERENCE),
    hidden=(*FOCUS, "pairs", "steps verdict"),
    question=ChoiceQuestion(
        "What failed here?",
        ("The search", "The model", "Nothing"),
        "blame",
        (
            "No: the search found what the model prefers, by a little; compare the scores.",
            "Right: the more probable text is the wrong one. A better search does not repair a model.",
            "Look at the second word after *qui*: it differs from the reference.",
        ),
        hint="Compare the log-probability of the reference with that of the output.",
    ),
)

LESSON = Lesson(
    id="decoding",
    title="Decoding",
    summary="Greedy, beam search, length penalty, sampling and MBR; whether search or model is to blame.",
    minutes=20,
    steps=(GREEDY, BEAM, LENGTH_PENALTY, DIFFER, SAMPLING, FILTERS, MBR, BLAME),
)
