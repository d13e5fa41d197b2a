"""Properties of sentences against plain computations, on a demo run."""

import json
import re
from functools import cache

import pytest

import s2s
from s2s.config import UserError
from s2s.data import gold_agreement
from s2s.demo import held_out_sentences
from s2s.runs import Run
from s2s.runs.decoder import KINDS, PROPERTY, DecodeRequest
from s2s.runs.decoder.cost import request_seconds, request_steps
from s2s.runs.properties import (
    MIN_ROWS,
    PROPERTIES,
    SINK_SHARE,
    Decoding,
    Finding,
    PropertySettings,
    findings,
)

DEEP = slice(515, 525)  # of the file: sentences with a clause in a clause
SETTINGS = PropertySettings(agreement=gold_agreement)


@cache
def demo() -> Run:
    return s2s.load("demo-en-fr")


@cache
def sentences() -> list[str]:
    return [*held_out_sentences("builtin:en-fr")[DEEP], "the red house", "the cat sits on the mat"]


@cache
def found(name: str) -> list[Finding]:
    return findings(demo(), name, sentences(), SETTINGS)


def test_strategies_differ_where_they_write_different_texts() -> None:
    for sentence, finding in zip(sentences(), found("strategies_differ"), strict=True):
        greedy, beam = (demo().translate([sentence], name)[0].text for name in ("greedy", "beam"))
        assert finding.holds == (greedy != beam)
        assert f"`{greedy}`" in finding.why
        assert f"`{beam}`" in finding.why
    assert {finding.holds for finding in found("strategies_differ")} == {True, False}


def test_a_search_error_is_a_text_with_more_log_probability() -> None:
    wide = demo().translate(sentences(), "beam", num_beams=20, length_penalty=0.0)
    for sentence, finding, other in zip(sentences(), found("search_error"), wide, strict=True):
        written = demo().translate([sentence], "greedy")[0]
        if finding.holds:
            name, text, better = re.findall(r"^(\w+) writes `(.*?)`.* finds `(.*?)`", finding.why)[
                0
            ]
            assert demo().translate([sentence], name)[0].text == text
            values = demo().score([sentence] * 2, [text, better])
            assert values[1] > values[0]
            said = f"({values[1]:.2f} nats against {values[0]:.2f})".replace("-", "−")
            assert said in finding.why
        else:
            assert other.log_prob <= written.log_prob + 1e-3
    assert {True, False} <= {finding.holds for finding in found("search_error")}


def test_a_length_penalty_that_decides_ranks_the_same_hypotheses_in_another_order() -> None:
    lazy = "the teachers who saw the queens who painted the church are lazy"
    asked = ["the red house", lazy]
    for page in ("greedy", "beam"):  # greedy search has no length penalty: beam search is asked
        settings = PropertySettings((Decoding(page),))
        plain, found = findings(demo(), "length_penalty_decides", asked, settings)
        assert (plain.holds, found.holds) == (False, True)
        (penalty,) = re.findall(r"; at ([\d.]+), among", found.why)
        before, other = re.findall(r"`(les .*?)`", found.why)
        (one,) = demo().translate([lazy], "beam")
        lengths = {each.text: len(each.tokens) ** float(penalty) for each in one.hypotheses}
        scores = {each.text: each.log_prob / lengths[each.text] for each in one.hypotheses}
        assert before == one.text
        assert other == max(scores, key=scores.__getitem__)


def test_a_search_error_says_what_the_strategy_s_own_score_prefers() -> None:
    friend = "the friend who knows the easy story that the kings know ran"
    asked = [*sentences(), friend]
    heard = set()
    for num_beams in (1, 5):
        settings = {"num_beams": num_beams}
        beam = PropertySettings((Decoding("beam", settings),))
        said = findings(demo(), "search_error", asked, beam)
        written = demo().translate(asked, "beam", **settings)
        for finding, one in zip(said, written, strict=True):
            if finding.holds:
                (better,) = re.findall(r" finds `(.*?)`", finding.why)
                (log_prob,) = demo().score([one.source], [better])
                per_token = log_prob / (len(better.split()) + 1)
                is_worse = per_token < one.log_prob / len(one.tokens)
                assert f"(nats / length) it is {'worse' if is_worse else 'better'}" in finding.why
                heard.add(is_worse)
    assert heard == {True, False}


def test_a_truncated_or_forced_text_is_not_judged_without_a_better_one() -> None:
    short = PropertySettings((Decoding("greedy", {"max_new_tokens": 2}),))
    (one,) = findings(demo(), "search_error", ["the red house"], short)
    assert one.holds is None
    assert "truncated before `</s>`" in one.why
    forced = PropertySettings((Decoding("constrained", {"force_words": "rouge"}),))
    (one,) = findings(demo(), "search_error", ["the red house"], forced)
    assert one.holds is None


def test_unknown_words_agreement_and_what_cannot_be_judged() -> None:
    asked = [
        "the zork sees a blurp",
        "the cats who chased the mouse were black",
        "",
        "the cat " * 400,
    ]
    zork, cats, nothing, long = findings(demo(), "unknown_word", asked, SETTINGS)
    assert zork == Finding(
        True, "`zork` and `blurp` are not in the vocabulary; the model reads `<unk>` instead."
    )
    assert (cats.holds, nothing.holds, long.holds) == (False, None, False)
    zork, cats, nothing, _ = findings(demo(), "agreement_across_clause", asked, SETTINGS)
    assert cats == Finding(True, "`were` agrees with `cats`, across `who chased the mouse`.")
    assert zork.holds is None
    assert "no word of the built-in English grammar" in zork.why
    assert nothing.holds is None
    (unknown,) = findings(demo(), "agreement_across_clause", asked[1:2], PropertySettings())
    assert unknown.holds is None


def test_an_output_longer_than_the_learned_positions_ends_no_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise UserError("too long")

    monkeypatch.setattr(s2s.Run, "attention", refuse)
    (found,) = findings(demo(), "sink", ["the red house"], SETTINGS)
    assert (found.holds, found.why) == (None, "too long")


def test_a_sink_is_the_head_with_the_largest_share_on_a_mark() -> None:
    asked = ["the dogs sleep in the house", "the red house", *sentences()[:3]]
    for sentence, finding in zip(asked, findings(demo(), "sink", asked, SETTINGS), strict=True):
        ids = demo().translate([sentence], "greedy")[0].hypotheses[0].ids
        attention = demo().attention(sentence, ids)
        shares = {}
        for kind, first in (("cross", 0), ("encoder", 0), ("decoder", 1)):
            view = attention.view(kind)
            layers, heads, rows, keys = view.weights.shape
            if rows - first < MIN_ROWS:
                continue
            for layer in range(layers):
                for head in range(heads):
                    for key in range(keys):
                        if view.keys[key] in ("<s>", "</s>"):
                            column = view.weights[layer, head, first:, key]
                            shares[kind, layer, head] = max(
                                float(column.mean()), shares.get((kind, layer, head), 0.0)
                            )
        best = max(shares, key=shares.__getitem__)
        assert finding.holds == (shares[best] >= SINK_SHARE)
        assert finding.head == (best if finding.holds else None)
        assert f"{shares[best]:.0%} of its attention" in finding.why


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_request_gives_the_same_as_json(name: str) -> None:
    run = demo()
    asked = tuple(sentences()[:2])
    other = Decoding("beam", {"num_beams": 2}, "column 2", run)
    settings = PropertySettings((Decoding("greedy"), other))
    key = run.key

    packed = json.dumps(settings.to_json())
    request = DecodeRequest(PROPERTY, key.folder, key.step, asked, name, packed)
    assert request.other_runs == []  # the one that is named is the request's own
    kind = KINDS[PROPERTY]
    answer = kind.carry_out(run, request, {})
    assert answer == findings(run, name, asked, settings)
    assert kind.from_json(json.loads(json.dumps(kind.to_json(answer)))) == answer
    assert 0 < request_seconds(run, request) < 60
    assert request_steps(run, request) > 0


def test_another_run_s_column_never_runs_in_the_dashboard() -> None:
    run = demo()
    other = Decoding("greedy", run=s2s.load("demo-en-es"))

    packed = json.dumps(PropertySettings((Decoding("greedy"), other)).to_json())
    request = DecodeRequest(
        PROPERTY, run.key.folder, run.step, ("the red house",), "strategies_differ", packed
    )
    assert request_seconds(run, request) == float("inf")
    (finding,) = KINDS[PROPERTY].carry_out(run, request, {})
    assert finding.holds
    assert "la casa roja" in finding.why


def test_an_unknown_property_is_a_sentence() -> None:
    with pytest.raises(UserError, match="no property of a sentence `sinks`; the nearest are"):
        findings(demo(), "sinks", ["a"], SETTINGS)
