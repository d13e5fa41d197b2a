"""Answers about the numbers inside a model, computed again with numpy and one forward pass."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import s2s
from s2s.config import UserError
from s2s.lessons import ANSWERS, CONDITIONS, Context, Heads
from s2s.lessons.answers import inside
from s2s.plots import walk_tensors
from s2s.questions import walked

RUN = s2s.load("demo-en-fr")
SENTENCE = "the red house"
TARGET = "la maison rouge"
WRONG = "la maison bleue"
IDS = [*RUN.src_tokenizer.encode(SENTENCE), 2]


def here(src: str = SENTENCE, **values: str) -> Context:
    return Context("demo-en-fr", values={"src": src, **values}, opener=lambda run, step: RUN)


def computed(name: str, context: Context) -> float:
    found = ANSWERS[name].compute(context)
    assert not isinstance(found, Heads)
    return found


def test_tokens_are_the_words_and_the_end() -> None:
    assert computed("source_tokens", here()) == len(SENTENCE.split()) + 1
    assert computed("source_tokens", here("the cat sits on the mat")) == 7


@pytest.mark.parametrize(
    ("layer", "head", "position"), [("1", "1", "1"), ("2", "4", "1"), ("1", "3", "2")]
)
def test_a_weight_is_the_softmax_of_the_scores(layer: str, head: str, position: str) -> None:
    trace = s2s.load("demo-en-fr").attention(SENTENCE, TARGET)
    weights = trace.encoder[int(layer) - 1, int(head) - 1]
    context = here(layer=layer, head=head, set=f"step:scaling,position:{position}")
    row = int(position) - 1
    np.testing.assert_allclose(
        computed("weight_of_next", context), weights[row, row + 1], atol=1e-5
    )


def test_the_last_token_has_no_next_one() -> None:
    with pytest.raises(UserError, match="No token follows"):
        computed("weight_of_next", here(set="position:9"))


def test_heads_that_attend_from_the_article_to_the_noun() -> None:
    found = ANSWERS["heads_from_first_to_third"].compute(here())
    assert isinstance(found, Heads)
    weights = RUN.attention(SENTENCE, TARGET).encoder
    mostly = {(i + 1, j + 1) for i in range(2) for j in range(4) if weights[i, j, 0, 2] > 0.5}
    assert found.right == mostly == {(2, 1), (2, 4)}
    with pytest.raises(UserError, match="needs three words"):
        ANSWERS["heads_from_first_to_third"].compute(here("the house"))


def test_without_positions_a_swap_changes_nothing() -> None:
    context = here("the dog sees the cat", set="view:model,swap:2,with:5")
    assert computed("swap_without_positions", context) == 0
    ids = RUN.src_tokenizer.encode("the dog sees the cat")
    other = RUN.src_tokenizer.encode("the cat sees the dog")
    one, two = (RUN.model.encode(torch.tensor([[*row, 2]])).detach()[0] for row in (ids, other))
    assert not torch.allclose(one[1], two[4], atol=0.1)  # with positions, the dog changes


def probabilities(target: str) -> np.ndarray:
    """Of every next token after each prefix of a target: (tgt_len, vocab)."""
    tgt = [1, *RUN.tgt_tokenizer.encode(target)]
    with torch.inference_mode():
        return RUN.model(torch.tensor([IDS]), torch.tensor([tgt]))[0].softmax(-1).numpy()


def test_the_rest_of_the_probability() -> None:
    for position, row in enumerate(probabilities(TARGET), 1):
        context = here(set=f"step:probabilities,position:{position}")
        rest = 100 * (1 - row.max())
        np.testing.assert_allclose(computed("other_tokens_percent", context), rest, atol=0.01)


def test_the_largest_loss_is_that_of_the_wrong_word() -> None:
    blue = RUN.tgt_tokenizer.encode("bleue")[0]
    loss = -np.log(probabilities("la maison")[2, blue])
    np.testing.assert_allclose(computed("largest_token_loss", here(tgt=WRONG)), loss, rtol=1e-3)


def test_an_update_moves_the_weight_against_its_gradient() -> None:
    model = s2s.load("demo-en-fr").model
    tgt = torch.tensor([1, *RUN.tgt_tokenizer.encode(WRONG), 2])
    with torch.enable_grad():
        weight = model.output.weight
        weight.requires_grad_()
        logits = model(torch.tensor([IDS]), tgt[None, :-1])[0]
        (gradient,) = torch.autograd.grad(F.cross_entropy(logits, tgt[1:]), [weight])
    rows = gradient[tgt[1:], : walk_tensors.MAX_COLUMNS]
    at = int(rows.abs().argmax())
    token, column = tgt[1 + at // rows.shape[1]], at % rows.shape[1]
    after = float(weight.detach()[token, column] - 0.2 * gradient[token, column])
    np.testing.assert_allclose(computed("weight_after_update", here(tgt=WRONG)), after, atol=1e-5)


def test_the_walkthrough_shows_the_same_weight_but_not_the_answer() -> None:
    assert inside.DRAWN == walk_tensors.MAX_COLUMNS
    assert str(inside.OTHER_RATE) not in walked.RATES


@pytest.mark.parametrize(
    ("typed", "level", "words"),
    [
        ("the cat sees the dog", "right", "`the` occurs 2 times"),
        ("the red house is old", "wrong", "No token occurs twice"),
        ("the zebra sees the dog", "wrong", "never seen `zebra`"),
    ],
)
def test_a_token_is_repeated(typed: str, level: str, words: str) -> None:
    verdict = CONDITIONS["repeated_token"].judge(here(typed))
    assert (verdict.level, words in verdict.sentence) == (level, True)


@pytest.mark.parametrize(
    "name",
    [name for name, row in ANSWERS.items() if row.compute in vars(inside).values()],
)
def test_without_a_sentence_there_is_no_answer(name: str) -> None:
    with pytest.raises(UserError, match="no sentence in the box"):
        ANSWERS[name].compute(here(" "))
