from pathlib import Path

import pytest
import torch

import s2s
from s2s.config import Recipe, UserError
from s2s.decode import STRATEGIES
from s2s.model import Transformer
from s2s.runs import Run, RunFolder, teacher_forcing
from s2s.tokenizers.byte import ByteTokenizer

SOURCE = "the cat sits on the mat"


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load("demo-en-fr")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_hypothesis_begins_with_the_forced_ids(run: Run, strategy: str) -> None:
    other = run.tgt_tokenizer.encode("la souris")[1]
    best = run.translate([SOURCE], strategy)[0].hypotheses[0]
    ids = (best.ids[0], other)
    found = run.complete(SOURCE, ids, strategy)
    assert found.hypotheses
    for one in found.hypotheses:
        assert one.ids[:2] == ids
        rows = run.next_tokens(SOURCE, one.ids[:-1])
        assert one.log_prob == pytest.approx(
            float(rows.gather(1, torch.tensor(one.ids)[:, None]).sum()), abs=1e-3
        )


@pytest.mark.parametrize("strategy", ["greedy", "beam", "contrastive"])
def test_forcing_what_it_writes_changes_nothing(run: Run, strategy: str) -> None:
    free = run.translate([SOURCE], strategy)[0]
    for length in range(len(free.hypotheses[0].ids) + 1):
        forced = run.complete(SOURCE, free.hypotheses[0].ids[:length], strategy)
        assert forced.text == free.text
        assert forced.log_prob == pytest.approx(free.log_prob, abs=1e-4)


def test_a_beginning_that_has_ended_is_all_there_is(run: Run) -> None:
    ids = (*run.tgt_tokenizer.encode("le chat"), 2)
    found = run.complete(SOURCE, ids, "beam")
    assert [one.ids for one in found.hypotheses] == [ids]
    assert (
        found.log_prob
        == found.score
        == pytest.approx(run.score([SOURCE], ["le chat"])[0], abs=1e-4)
    )
    assert [step[0].token for step in found.steps] == list(ids)
    assert [step[0].is_finished for step in found.steps] == [False, False, True]
    assert run.complete(SOURCE, ids[:2], "beam", max_new_tokens=2).hypotheses[0].ids == ids[:2]


@pytest.mark.parametrize(
    ("ids", "settings", "sentence"),
    [
        ((99_999,), {}, "cannot begin with token id 99999; give ids from 0 to 779, but not 0"),
        ((-1,), {}, "token id -1"),
        ((0,), {}, "token id 0"),
        ((5, 2, 5), {}, "Nothing can follow `</s>`"),
        (
            (5, 6, 7),
            {"max_new_tokens": 2},
            "has 3 tokens and at most 2 are allowed; shorten it or raise `max_new_tokens`",
        ),
    ],
)
def test_what_cannot_be_forced_is_said(
    run: Run, ids: tuple[int, ...], settings: dict[str, int], sentence: str
) -> None:
    with pytest.raises(UserError, match=sentence):
        run.complete(SOURCE, ids, "beam", **settings)


def test_rows_are_distributions_and_add_up_to_the_score(run: Run) -> None:
    ids = run.tgt_tokenizer.encode("le chat est assis sur la table")
    rows = run.next_tokens(SOURCE, ids)
    assert rows.shape == (len(ids) + 1, run.tgt_tokenizer.vocab_size)
    assert torch.allclose(rows.exp().sum(1), torch.ones(len(rows)), atol=1e-5)
    whole = float(rows.gather(1, torch.tensor([*ids, 2])[:, None]).sum())
    assert whole == pytest.approx(
        run.score([SOURCE], ["le chat est assis sur la table"])[0], abs=1e-4
    )
    assert torch.allclose(
        run.next_tokens(SOURCE, ids[:3]), rows[:4], atol=1e-5
    )  # the future is not seen


def test_ids_are_forced_that_no_text_has(tiny: Recipe, tmp_path: Path) -> None:
    words = ByteTokenizer.fit(["é"])
    model = Transformer(tiny.model, words.vocab_size, words.vocab_size).eval()
    run = Run(RunFolder(tmp_path), tiny, model, words, words, 0)
    second = words.encode("é")[1]  # a byte that begins nothing
    for one in run.complete("é", (second,), "beam", max_new_tokens=6).hypotheses:
        assert one.ids[0] == second
        assert words.encode(one.text)[0] != second


def test_a_reference_is_forced_token_by_token(run: Run) -> None:
    reference = teacher_forcing.reference(run, SOURCE, "le chat zèbre sur le tapis")
    assert reference.log_prob == pytest.approx(
        run.score([SOURCE], ["le chat zèbre sur le tapis"])[0], abs=1e-4
    )
    assert reference.unknown == ("zèbre",)
    assert reference.tokens[2] == "<unk>"
    assert reference.tokens[-1] == "</s>"
    assert reference.ranks[:2] == (1, 1)
    assert reference.predicted[:3] == ("le", "chat", "est")
    is_wish = [
        token == wish for token, wish in zip(reference.tokens, reference.predicted, strict=True)
    ]
    assert [rank == 1 for rank in reference.ranks] == is_wish


def test_where_two_targets_part() -> None:
    assert teacher_forcing.first_difference([1, 2], [1, 2]) is None
    assert teacher_forcing.first_difference([1, 2, 3], [1, 4, 3]) == 1
    assert (
        teacher_forcing.first_difference([1, 2], [1, 2, 3])
        == teacher_forcing.first_difference((1, 2, 3), [1, 2])
        == 2
    )
    assert teacher_forcing.first_difference([], [1]) == 0


def test_the_tree_says_which_tokens_were_given(run: Run) -> None:
    ids = tuple(run.tgt_tokenizer.encode("la souris"))
    tree = run.tree(run.complete(SOURCE, ids, "beam"), begun=ids)
    given = [node for node in tree.nodes if 1 <= node.step <= len(ids)]
    assert [node.token for node in given] == list(ids)
    assert len(tree.nodes) > 3 * len(ids)  # after them everything is there that was searched


def test_few_logits_at_a_time_give_the_same(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [SOURCE, "I am happy .", "the cat", "she gives a book to the children ."]
    targets = ["le chat est sur le tapis", "je suis heureux", "le chat", "elle donne"]
    expected = run.force(sources, targets)
    monkeypatch.setattr("s2s.runs.run.MOST_LOGITS", 1)  # one target at a time
    found = run.force(sources, targets)
    assert [(one.n_tokens, one.n_correct) for one in found] == [
        (one.n_tokens, one.n_correct) for one in expected
    ]
    assert [one.log_prob for one in found] == pytest.approx(
        [one.log_prob for one in expected], abs=1e-4
    )
