"""Lines are removed from a text at a known position."""

import random
import re

import pytest

from s2s.data.misalignment import Misalignment, find_misalignment, misalignment_hint

WORDS = (
    "a the one red house garden dog runs sleeps quickly under between mountains and or"
).split()


def texts(n: int, seed: int = 0) -> tuple[list[str], list[str]]:
    """Lines of very different lengths, and partners a third longer."""
    draw = random.Random(seed)
    src = [" ".join(draw.choices(WORDS, k=draw.randrange(2, 30))) for _ in range(n)]
    return src, [line + "x" * (len(line) // 3 + draw.randrange(3)) for line in src]


def test_most_places_are_found_within_two_lines() -> None:
    near = 0
    for seed in range(60):
        side = "src" if seed % 2 else "tgt"
        draw = random.Random(seed)
        src, tgt = texts(500, seed)
        n = draw.randint(1, 3)
        place = draw.randrange(490)
        fewer = tgt if side == "src" else src
        del fewer[place : place + n]
        found = find_misalignment(src, tgt)
        near += (
            found is not None
            and (found.side, found.n) == (side, n)
            and abs(found.line - 1 - place) <= 2
        )
    assert near >= 57


def test_numbers_tell_where_lengths_do_not() -> None:
    src, tgt = texts(60)
    for row in range(20, 40):
        src[row], tgt[row] = f"page {row} of the book", f"Seite {row} im Buch"
    del tgt[30]
    assert find_misalignment(src, tgt) == Misalignment(31, "src", 1)


@pytest.mark.parametrize("place", [0, 99])
def test_the_ends_are_places_too(place: int) -> None:
    src, tgt = texts(100)
    del tgt[place]
    assert find_misalignment(src, tgt) == Misalignment(place + 1, "src", 1)


def test_what_says_nothing_is_none() -> None:
    src, tgt = texts(100)
    assert find_misalignment(src, tgt) is None  # as many lines
    assert find_misalignment(src[:10], tgt[:9]) is None  # too few
    assert find_misalignment([], ["a"]) is None
    assert (
        find_misalignment(["the same"] * 100, ["immer gleich"] * 98) is None
    )  # every place is as good
    assert find_misalignment(texts(100, 1)[0], texts(98, 2)[1]) is None  # no translations at all


def test_one_line_is_found_among_very_many() -> None:
    src, tgt = texts(1000)
    src = src * 200
    tgt = tgt * 200
    del tgt[123_456]
    found = find_misalignment(src, tgt)
    assert found is not None
    assert abs(found.line - 123_457) <= 2


def test_texts_that_do_not_belong_together_are_told_from_those_that_do() -> None:
    said = []
    for seed in range(20):
        src, tgt = texts(300, seed)
        other = texts(290, seed + 100)[1]
        del tgt[40:50]
        said.append(
            (misalignment_hint("a", "b", src, other), misalignment_hint("a", "b", src, tgt))
        )
    apart, together = zip(*said, strict=True)
    no_line = "no line looks like its partner"
    assert sum(hint.startswith(no_line) for hint in apart) >= 18
    assert not any(hint.startswith(no_line) for hint in together)


def test_lengths_that_alternate_in_any_text_are_no_evidence() -> None:
    said = []
    for seed in range(20):
        draw = random.Random(seed)
        src, tgt, other = (
            ["x" * (draw.randrange(20, 40) + 30 * (row % 2)) for row in range(300)]
            for _ in range(3)
        )
        tgt = [line + "y" * draw.randrange(5) for line in src]
        del tgt[150], other[-1]
        said.append(
            (misalignment_hint("a", "b", src, other), misalignment_hint("a", "b", src, tgt))
        )
    apart, together = zip(*said, strict=True)
    assert sum(hint.startswith("no line looks like its partner") for hint in apart) >= 16
    assert all("too many from about line 15" in hint for hint in together)


def test_a_place_among_lines_of_about_one_length_is_named_roughly() -> None:
    draw = random.Random(0)
    names = ["Anna", "Boris", "Clara", "David", "Emma", "Frank"]
    said = [draw.choice(names) + "?" * draw.choice([0, 1, 1, 0, 0]) for _ in range(1000)]
    src = [text.rjust(12) if row % 3 else "x" * 12 for row, text in enumerate(said)]
    tgt = [text.rjust(12) if row % 3 else "y" * 12 for row, text in enumerate(said)]
    del tgt[600]
    hint = misalignment_hint("a", "b", src, tgt)
    assert re.search("`a` seems to have 1 line too many somewhere around line (59|60)", hint)
