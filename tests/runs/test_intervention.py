import threading

import numpy as np
import pytest
import torch

import s2s
from s2s.analysis import KINDS
from s2s.analysis.intervene import Head, attentions
from s2s.config import UserError
from s2s.decode import STRATEGIES
from s2s.model.attention import is_hooked
from s2s.runs import Run
from s2s.runs.intervention import Interventions, active
from tests.runs.intervened import Intervened, translate_with

SOURCE = "the red house"
TARGET = "la maison rouge"
LONG = "the black cat chased the white mouse"
ALL_OFF = Interventions(
    tuple((Head("cross", layer, head), "off") for layer in range(2) for head in range(4))
)


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load("demo-en-fr")


def probability(row: torch.Tensor, run: Run, word: str) -> float:
    return float(row[run.tgt_tokenizer.encode(word)[0]].exp())


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_without_a_change_the_translation_is_the_same_bit_for_bit(run: Run, strategy: str) -> None:
    found = translate_with(run, SOURCE, TARGET, Interventions(), strategy)
    assert found.before == found.after == run.complete(SOURCE, (), strategy)
    assert (found.kept, found.next) == (0, None)
    np.testing.assert_array_equal(found.attention.cross, run.attention(SOURCE, TARGET).cross)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_prefix_is_kept_and_the_log_probability_is_the_changed_models(
    run: Run, strategy: str
) -> None:
    change = Interventions(((Head("encoder", 0, 1), "uniform"),), 2, (2,))
    found = translate_with(run, SOURCE, TARGET, change, strategy)
    forced = tuple(run.tgt_tokenizer.encode(TARGET)[:2])
    assert found.kept == 2
    assert found.before == run.complete(SOURCE, forced, strategy)
    for one in found.after.hypotheses:
        assert one.ids[:2] == forced
        with active(run, change):
            rows = run.next_tokens(SOURCE, one.ids[:-1])
        assert one.log_prob == pytest.approx(
            float(rows.gather(1, torch.tensor(one.ids)[:, None]).sum()), abs=1e-3
        )


def test_made_to_look_at_another_word_the_model_writes_that_one(run: Run) -> None:
    words = LONG.split()
    partners = {"cat": "chat", "mouse": "souris"}
    target = run.translate([LONG])[0].text.split()
    for place, own in enumerate(target):
        for key, word in enumerate(words):
            if own in partners.values() and word in partners and partners[word] != own:
                found = translate_with(
                    run, LONG, " ".join(target), Interventions((), place, (key,))
                )
                assert found.after.tokens[place] != own
                assert found.next is not None
                assert (
                    probability(found.next.before, run, own)
                    > 0.5
                    > probability(found.next.after, run, own)
                )
                assert probability(found.next.after, run, partners[word]) > probability(
                    found.next.before, run, partners[word]
                )


def test_the_row_shows_where_it_was_made_to_look(run: Run) -> None:
    found = translate_with(run, SOURCE, TARGET, Interventions((), 2, (0, 2)))
    own = run.attention(SOURCE, TARGET)
    np.testing.assert_allclose(found.attention.cross[:, :, 2, [0, 2]].sum(-1), 1.0, atol=1e-5)
    np.testing.assert_allclose(found.attention.cross[:, :, :2], own.cross[:, :, :2], atol=1e-5)
    assert found.attention.tgt_tokens == own.tgt_tokens


def test_only_some_heads_may_be_moved(run: Run) -> None:
    one, everything = (
        translate_with(run, SOURCE, TARGET, Interventions((), 2, (2,), among))
        for among in ((Head("cross", 1, 3),), None)
    )
    assert one.attention.cross[1, 3, 2, 2] == pytest.approx(1.0)
    assert one.attention.cross[1, :3, 2, 2].max() < 0.99
    assert one.next is not None
    assert everything.next is not None
    assert probability(one.next.after, run, "rouge") > probability(
        everything.next.after, run, "rouge"
    )


def test_a_model_that_cannot_look_writes_the_same_of_everything(run: Run) -> None:
    found = [translate_with(run, source, TARGET, ALL_OFF) for source in (SOURCE, LONG)]
    assert len({one.after.text for one in found}) == 1
    assert len({one.before.text for one in found}) == 2
    parted = found[0].next
    assert parted is not None
    assert parted.position == 0
    assert found[0].after.log_prob < 0
    assert not found[0].attention.cross.any()


def test_a_heads_silence_is_felt_where_the_two_translations_part(run: Run) -> None:
    changes = [
        Interventions(((Head("cross", layer, head), "off"),))
        for layer in range(2)
        for head in range(4)
    ]
    found = [
        translate_with(run, "the boy likes the girl", "le garçon visite la fille", change)
        for change in changes
    ]
    other = [one for one in found if one.next]
    assert 0 < len(other) < len(found)
    for one in other:
        assert one.next is not None
        place = one.next.position
        assert one.before.tokens[:place] == one.after.tokens[:place]
        assert one.before.tokens[place] != one.after.tokens[place]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            Interventions((), 4, (0,)),
            r"^There is no position 4 in a target of 4 tokens; give one from 0 to 3\.$",
        ),
        (Interventions((), -1, (0,)), "There is no position -1"),
        (
            Interventions((), 1, (4,)),
            "There is no position 4 in a source of 4 tokens; give one from 0 to 3",
        ),
        (
            Interventions((), 1, (0,), (Head("encoder", 0, 0),)),
            "Only cross-attention looks at the source",
        ),
        (Interventions(((Head("cross", 7, 0), "off"),)), "There is no cross attention, layer 7"),
    ],
)
def test_what_cannot_be_changed_is_said(run: Run, change: Interventions, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        translate_with(run, SOURCE, TARGET, change)
    assert not any(map(is_hooked, run.model.modules()))


def test_others_read_the_plain_model_meanwhile(run: Run) -> None:
    expected = run.translate([SOURCE, LONG])
    read: list[object] = []
    changed: list[Intervened] = []
    heads = tuple(
        (Head(kind, 0, head), "uniform")
        for kind in KINDS
        for head in range(attentions(run.model, kind)[0].n_heads)
    )

    def intervene() -> None:
        changed.extend(
            translate_with(run, SOURCE, TARGET, Interventions(heads, 1, (0,))) for _ in range(6)
        )

    def translate() -> None:
        read.extend(run.translate([SOURCE, LONG]) for _ in range(12))

    threads = [threading.Thread(target=work) for work in (intervene, translate)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read == [expected] * 12
    assert len(changed) == 6
    assert {one.after.text for one in changed} == {changed[0].after.text} != {expected[0].text}


def test_who_comes_while_the_model_is_changed_waits(run: Run) -> None:
    expected = run.translate([SOURCE])
    read: list[object] = []
    other = threading.Thread(target=lambda: read.extend(run.translate([SOURCE])))
    with active(run, ALL_OFF):
        other.start()
        other.join(0.3)
        assert other.is_alive()
        assert run.translate([SOURCE]) != expected
    other.join()
    assert read == expected
