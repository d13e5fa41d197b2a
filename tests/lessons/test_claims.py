"""Findings are recomputed from what was measured, by plain arithmetic; computed claims from the modules themselves."""

import json
import math
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks.claims import agreement, forcing, intervals, norms, parallel
from benchmarks.claims.__main__ import CLAIMS as MEASURED
from benchmarks.claims.__main__ import as_file, report, saved
from s2s.analysis import Trace, capture
from s2s.config import PRESETS, UserError
from s2s.data import Gold, Link, Pair, Relation
from s2s.lessons import claims, lesson_file
from s2s.lessons.claims import CLAIMS
from s2s.library.checkpoints import load
from s2s.links import share
from s2s.model import DecoderLayer, EncoderLayer, inference
from s2s.ui.shell import pages
from tests.screen import PAGES


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_says_what_was_measured_of_it(name: str) -> None:
    file = (claims.FOLDER / f"{name}.json").read_text()
    claim = json.loads(file)
    assert as_file({**claim, "measured": report(name)}) == file
    table, picture = CLAIMS[name].measured.table, CLAIMS[name].measured.picture
    assert len({len(column) for column in table.values()}) == 1
    assert all(len(one.y) == len(picture.bars or one.x) for one in picture.series)


@pytest.mark.parametrize("name", CLAIMS)
def test_the_views_of_a_claim_open(name: str) -> None:
    for row, proof in zip(_file(name)["proofs"], CLAIMS[name].proofs, strict=True):
        assert lesson_file.view_of(row["view"], PAGES) == proof.view
        assert set(proof.view.values) <= {*pages.page(proof.view.page).keys}
        share.link("https://example.org", proof.view.values)


def test_every_file_is_a_claim_that_can_be_measured_again() -> None:
    assert {path.stem for path in claims.FOLDER.glob("*.json")} == {*CLAIMS} == {*MEASURED}


def test_results_from_several_logs_say_so() -> None:
    noted = {
        name for name, row in CLAIMS.items() if "Assembled from the logs" in row.measured.method
    }
    assert noted == {"forcing", "smoothing"}


def _file(name: str) -> dict[str, Any]:
    return dict(json.loads((claims.FOLDER / f"{name}.json").read_text()))


def test_a_file_that_lacks_something_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = _file("agreement")
    del stale["measured"]["picture"]
    monkeypatch.setattr(claims, "FOLDER", tmp_path)
    with pytest.raises(UserError, match=r"claim beams cannot be read; install s2s again"):
        claims.read("beams")
    (tmp_path / "agreement.json").write_text(json.dumps(stale))
    with pytest.raises(UserError, match=r"agreement have no `picture`; install s2s again"):
        claims.read("agreement")


def test_agreement_is_judged_by_near_and_far_subjects_and_by_what_is_hidden() -> None:
    found = saved("agreement")
    right = {row["condition"]: row["right"] for row in found["runs"]}

    def percent(condition: str, part: slice) -> float:
        return 100 * sum(right[condition][part]) / sum(found["n"][part])

    near, far = slice(0, 4), slice(4, None)
    measured = CLAIMS["agreement"].measured
    as_it_is, hidden, control = (
        percent(name, far)
        for name in (
            "as it is",
            "subject hidden from every word",
            "other words hidden from every word",
        )
    )
    assert (
        f"right in {as_it_is:.0f}%, nearer in {percent('as it is', near):.0f}%" in measured.finding
    )
    assert (
        f"{hidden:.0f}%, without attention to as many other words in {control:.0f}%"
        in measured.finding
    )
    half = 196 * math.sqrt(
        sum(
            p / 100 * (1 - p / 100) / n
            for p, n in (
                (as_it_is, sum(found["n"][far])),
                (percent("as it is", near), sum(found["n"][near])),
            )
        )
    )  # by the normal distribution
    falls = as_it_is + half < percent("as it is", near)
    assert measured.level == ("partly" if falls else "holds")
    assert control - hidden > 10
    flat = {**found, "runs": [{"condition": name, "right": found["n"]} for name in right]}
    assert agreement.report(flat).level == "fails"
    flat["runs"] = [
        {"condition": name, "right": [n // 2 if "subject" in name else n for n in found["n"]]}
        for name in right
    ]
    assert agreement.report(flat).level == "holds"


@pytest.mark.parametrize(
    ("slow", "difference", "level"),
    [
        ((2.0, 9.0), 1e-6, "holds"),
        ((9.0, 2.0), 1e-6, "partly"),
        ((0.5, 2.0), 1e-6, "partly"),
        ((2.0, 0.9), 1e-6, "fails"),
        ((2.0, 9.0), 0.1, "fails"),
    ],
)
def test_parallel_is_judged_by_its_lead_and_by_equal_states(
    slow: tuple[float, float], difference: float, level: str
) -> None:
    results = {
        "lengths": (4, 128),
        "parallel": (1.0, 1.0),
        "one_by_one": slow,
        "difference": difference,
        "repeats": (2, 2),
    }
    measured = parallel.report(results)
    assert measured.level == level
    assert f"{slow[0]:.1f} times as long for 4 tokens" in measured.finding


def test_teacher_forcing_is_judged_after_the_same_updates_and_the_same_seconds() -> None:
    found = saved("forcing")
    curves = {(row["kind"], row["seed"]): row["points"] for row in found["runs"]}
    seeds = {seed for _, seed in curves}
    for seed in seeds:
        forced, free = (curves[kind, seed] for kind in ("teacher forcing", "free-running"))
        assert [point["updates"] for point in forced] == [point["updates"] for point in free]
        assert forced[-1]["bleu"] > free[-1]["bleu"]
        in_time = [point for point in free if point["seconds"] <= forced[-1]["seconds"]]
        assert forced[-1]["bleu"] > in_time[-1]["bleu"]
    assert CLAIMS["forcing"].measured.level == "holds"
    swapped = {
        **found,
        "runs": [
            {**row, "points": [{**point, "bleu": -point["bleu"]} for point in row["points"]]}
            for row in found["runs"]
        ],
    }
    assert forcing.report(swapped).level == "fails"


def test_label_smoothing_is_judged_by_its_loss_and_by_its_bleu() -> None:
    found = saved("smoothing")
    pairs: dict[int, dict[bool, Any]] = {
        seed: {} for seed in {row["seed"] for row in found["runs"]}
    }
    for row in found["runs"]:
        pairs[row["seed"]][bool(row["smoothing"])] = row
    for key, unit in (("loss", 3), ("bleu", 2)):
        gains = [pair[True][key] - pair[False][key] for pair in pairs.values()]
        half = 3.182 * statistics.stdev(gains) / math.sqrt(len(gains))  # t of 3 degrees of freedom
        low, high = statistics.mean(gains) - half, statistics.mean(gains) + half
        assert (
            f"[{low:.{unit}f}, {high:.{unit}f}]".replace("-", "−")
            in CLAIMS["smoothing"].measured.finding
        )
        assert low > 0 if key == "loss" else low < 0 < high
    assert CLAIMS["smoothing"].measured.level == "partly"


@pytest.mark.parametrize(
    ("post", "pre", "diverged", "level"),
    [
        ((5.3, 4.0), (3.0, 3.1), 0, "holds"),
        ((4.2, 4.0), (3.0, 3.1), 0, "partly"),
        ((4.2, 4.0), (3.4, 3.1), 0, "fails"),
        ((4.0, 4.2), (3.0, 3.1), 0, "fails"),
        ((4.0, 4.2), (3.0, 3.1), 7, "holds"),
    ],
)
def test_post_norm_without_warmup_fails_by_half_a_nat_or_by_diverging(
    post: tuple[float, float], pre: tuple[float, float], diverged: int, level: str
) -> None:
    rows = [
        {
            "place": place,
            "warmup": warmup,
            "seed": seed,
            "losses": [9.0, loss],
            "cpu_seconds": 1.0,
            "diverged_at": diverged * (place == "post" and not warmup),
        }
        for place, losses in (("post", post), ("pre", pre))
        for warmup, loss in zip((0, 100), losses, strict=True)
        for seed in (1, 2)
    ]
    assert norms.report({**saved("norms"), "runs": rows}).level == level


def test_wide_beams_are_judged_by_every_search() -> None:
    found = saved("beams")
    searches = [row for row in found["runs"] if "difference" in row]
    assert len(searches) == 4
    for row in searches:
        usual = next(
            other["bleu"]
            for other in found["runs"]
            if other["num_beams"] == 5
            and (other["model"], other["length_penalty"]) == (row["model"], row["length_penalty"])
        )
        difference, low, high = row["difference"]
        assert low <= difference <= high
        assert difference == pytest.approx(row["bleu"] - usual, abs=0.02)
    worse = [row["difference"][2] < 0 for row in searches]
    levels = {True: "holds" if all(worse) else "partly", False: "fails"}
    assert CLAIMS["beams"].measured.level == levels[any(worse)]
    by_width = {row["num_beams"]: row for row in found["runs"][:7]}
    assert by_width[100]["search_errors"] <= by_width[1]["search_errors"]
    assert by_width[100]["log_prob"] >= by_width[1]["log_prob"]


def test_the_numbers_of_the_three_kinds_are_those_of_plain_arithmetic() -> None:
    d, ff, layers, n = 512, 2048, 6, 64
    attention, feed_forward, norm = 4 * (d * d + d), 2 * d * ff + d + ff, 2 * d
    kinds: Mapping[str, Mapping[str, int]] = saved("kinds")["kinds"]
    one_stack = layers * (attention + feed_forward + 2 * norm)
    assert kinds["encoder"]["parameters"] == kinds["decoder-only"]["parameters"] == one_stack
    assert kinds["encoder-decoder"]["parameters"] == 2 * one_stack + layers * (attention + norm)
    assert kinds["encoder"]["flops"] == layers * (24 * d * d * n + 4 * d * n * n)
    assert kinds["decoder-only"]["flops"] == layers * (48 * d * d * n + 16 * d * n * n)
    assert kinds["encoder-decoder"]["flops"] == layers * (56 * d * d * n + 12 * d * n * n)
    assert [one["cache"] for one in kinds.values()] == [0, *2 * [4 * layers * d * n]]
    assert [one["attention"] for one in kinds.values()] == [6, 6, 18]


def test_the_components_of_a_layer_are_those_of_the_modules() -> None:
    model = PRESETS["transformer-base"].recipe.model
    with torch.device("meta"):
        layers = {
            "encoder": EncoderLayer(model, model.encoder),
            "decoder": DecoderLayer(model, model.decoder),
        }
    found = saved("stacks")["stacks"]
    for stack, layer in layers.items():
        assert {name: one["parameters"] for name, one in found[stack].items()} == {
            name: sum(weight.numel() for weight in child.parameters())
            for name, child in layer.named_children()
        }
    assert CLAIMS["stacks"].measured.level == "holds"


def test_intervals_are_those_of_the_papers() -> None:
    assert intervals.share(81, 263) == pytest.approx(
        (30.80, 25.53, 36.62), abs=0.01
    )  # Newcombe 1998, table I
    found = intervals.difference(intervals.share(56, 70), intervals.share(48, 80))
    assert found == pytest.approx(
        (20.0, 5.24, 33.39), abs=0.01
    )  # Newcombe 1998, table II (a), method 10
    assert intervals.mean([1.0, 2.0, 3.0]) == pytest.approx((2.0, 2 - 2.484, 2 + 2.484), abs=0.001)


GIRLS = Pair(
    "the question that the girls know is long",
    "la question que les filles connaissent est longue",
    Gold(
        tuple(Link(i, i) for i in range(8)),
        relations=(
            Relation("adjective-noun", "src", 1, 7),
            Relation("adjective-noun", "tgt", 1, 7),
            Relation("determiner-noun", "src", 1, 0),
            Relation("determiner-noun", "tgt", 1, 0),
            Relation("determiner-noun", "src", 4, 3),
            Relation("determiner-noun", "tgt", 4, 3),
            Relation("subject-verb", "src", 6, 1),
            Relation("subject-verb", "tgt", 6, 1),
        ),
    ),
)


def test_agreeing_words_are_asked_with_and_without_attention_to_their_subject() -> None:
    run = load("demo-en-fr")
    asked = agreement.questions([GIRLS])
    assert [(one.word, one.subject) for one in asked] == [(6, 1), (7, 1)]
    assert agreement.subject(asked[1]) == (frozenset({0, 1}), frozenset({0, 1}))
    forms = {"is": {"est", "sont"}, "long": {"long", "longue", "longs", "longues"}}
    answers = agreement.answered(run, asked, agreement.CONDITIONS["as it is"], forms)
    ids = run.target_ids(GIRLS.tgt)
    rows = run.next_tokens(GIRLS.src, ids[:-1])
    for answer, word, choices in zip(answers, (6, 7), forms.values(), strict=True):
        log_probs = {form: rows[word, run.tgt_tokenizer.encode(form)[0]] for form in choices}
        assert answer == (max(log_probs, key=log_probs.__getitem__) == GIRLS.tgt.split()[word])
    weights = _weights(agreement.CONDITIONS["subject hidden from every word"])
    # row 2 reads the subject itself; those below predict what follows
    assert not weights.cross[0][0, :, 3:8, :2].any()
    assert weights.cross[0][0, :, :3, :2].any()
    assert not weights.decoder[0][0, :, 3:8, 1:3].any()
    assert not weights.encoder[0][0, :, 2:, :2].any()
    torch.testing.assert_close(weights.cross[1].sum(-1), torch.ones_like(weights.cross[1][..., 0]))
    weights = _weights(agreement.CONDITIONS["subject hidden from the agreeing word"])
    assert not weights.cross[0][0, :, 7, :2].any()
    assert weights.cross[0][0, :, 6, :2].any()
    assert weights.encoder[0][0, :, 7, :2].any()


def _weights(condition: agreement.Condition) -> Trace:
    """Of the last question of GIRLS."""
    run = load("demo-en-fr")
    (question,) = agreement.questions([GIRLS])[1:]
    src = torch.tensor([run.recipe.model.ids.source(run.src_tokenizer.encode(GIRLS.src))])
    tgt = torch.tensor([[run.recipe.model.ids.start, *run.target_ids(GIRLS.tgt)]])
    masks = {
        kind: agreement.mask(kind, question, condition, src, tgt)[None]
        for kind in ("encoder", "decoder", "cross")
    }
    with inference(run.model), agreement.hidden(run.model, masks), capture(run.model) as trace:
        run.model(src, tgt[:, :-1])
    return trace
