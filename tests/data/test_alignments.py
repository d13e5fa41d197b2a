"""Gold alignments from files: Pharaoh's links per line, and the columns of a .wa file."""

import pytest

from s2s.config import UserError
from s2s.data import Gold, Link, Numbering, Pair, has_words, n_words
from s2s.data.formats.alignments import read_alignments
from tests.samples import sample, sample_lines

PAIRS = (Pair("the red house", "la maison rouge"), Pair("a cat", "un chat noir"), Pair("no", "non"))
FOUND = [
    Gold((Link(0, 0), Link(1, 2), Link(2, 1))),
    Gold((Link(0, 0),), possible=(Link(1, 1), Link(1, 2))),
    Gold(()),
]
PHARAOH = b"0-0 1-2 2-1\n0-0 1p1 1?2\n\n"
WA = b"""1 1 1 S
1 2 3 S
0001 3 2
2 1 1 S
2 1 1 P
2 2 2 P
2 2 3 P 0.5
3 1 0 S
3 1 1 S
"""


def test_pharaoh_and_wa_say_the_same() -> None:
    assert read_alignments("gold.align", PHARAOH, PAIRS) == FOUND
    windows = b"\xef\xbb\xbf" + PHARAOH.replace(b"\n", b"\r\n")
    assert read_alignments("gold.align", windows, PAIRS) == FOUND
    assert read_alignments("test.wa", WA, PAIRS) == [*FOUND[:2], Gold((Link(0, 0),))]


def test_words_may_count_from_1_and_the_target_may_come_first() -> None:
    from_1 = b"1-1 2-3 3-2\n1-1 2p2 2p3\n\n"
    assert read_alignments("a", from_1, PAIRS, Numbering(first=1)) == FOUND
    swapped = b"0-0 2-1 1-2\n0-0 1p1 2p1\n\n"
    assert read_alignments("a", swapped, PAIRS, Numbering(is_target_first=True)) == FOUND
    other = [Pair(pair.tgt, pair.src) for pair in PAIRS]
    of_wa = read_alignments("a.wa", WA, other, Numbering(is_target_first=True))
    assert of_wa[0] == Gold((Link(0, 0), Link(1, 2), Link(2, 1)))
    assert of_wa[1].possible == (Link(1, 1), Link(2, 1))


def test_only_spaces_and_tabs_separate_words() -> None:
    french = [Pair("Really ?\tYes .", "Vraiment\u00a0? Oui\u3000.")]
    links = (Link(0, 0), Link(1, 0), Link(2, 1))
    assert read_alignments("a", b"0-0 1-0 2-1\n", french) == [Gold(links)]
    assert read_alignments("a.wa", b"1 1 1 S\n1 2 1 S\n1 3 2 S\n", french) == [Gold(links)]
    with pytest.raises(UserError, match=r"has 2 words, numbered 0 to 1 \(only spaces and tabs"):
        read_alignments("a", b"0-0 2-2\n", french)
    assert n_words("  a \t b\u2009c ") == 2


def test_words_split_at_other_spaces_do_not_match() -> None:
    assert has_words("a\u00a0? b", 2)
    assert not has_words("a\u00a0? b", 3)
    assert not has_words("a\u00a0b \u2009 c", 3)  # split at every space it has three words, too
    assert not has_words("a\u3000b c \u200b", 3)


@pytest.mark.parametrize(
    ("content", "numbering", "sentence"),
    [
        (
            b"0-0 3-1\n\n\n",
            Numbering(),
            "Line 1 of `f` links source word 3, and the source of pair 1 has 3",
        ),
        (
            b"\n0-0 1-7\n\n",
            Numbering(),
            "Line 2 of `f` links target word 7, and the target of pair 2 has 3",
        ),
        (b"0-0\n\n\n", Numbering(first=1), "source word 0.* numbered 1 to 3; .*count from 0 or 1"),
        (b"0-0\n0:1\n\n", Numbering(), "Line 2 of `f` has `0:1`, which is not a link"),
        (b"0-0-0\n\n\n", Numbering(), "`0-0-0`, which is not a link"),
        (b"-1-0\n\n\n", Numbering(), "`-1-0`, which is not a link"),
        ("\u0661-\u0661\n\n\n".encode(), Numbering(), "which is not a link"),
        (b"0-" + b"9" * 5000 + b"\n\n\n", Numbering(), "which is not a link"),
        (b"0-0\n0-0\n", Numbering(), "`f` has 2 lines, and there are 3 pairs"),
        (b"0-0\n" * 5, Numbering(), "`f` has 5 lines, and there are 3 pairs"),
        (b"", Numbering(), "`f` has 0 lines, and there are 3 pairs"),
        (
            b"1 1 1 S\n4 1 1 S\n",
            Numbering(),
            r"Line 2 of `f` links words of sentence 4, .* 3 pairs \(1 to 3\)",
        ),
        (b"1 1 1 S\n0 1 1 S\n", Numbering(), "sentence 0, and there are 3 pairs"),
        (b"1 1 1 S\n2 1 one S\n", Numbering(), "Line 2 of `f` is `2 1 one S`; write sentence"),
        (
            b"1 1 1 S\n3 1 1 S\n",
            Numbering(),
            "`f` aligns 2 sentences, .* 3 pairs .*first without a link is 2",
        ),
        (
            b"1 1 1 S\n2 1 4 P\n3 1 1 S\n",
            Numbering(),
            "Line 2 .* target word 4, .* has 3 words, numbered 1 to 3",
        ),
        (b"\x00\x01\x02" * 9, Numbering(), "`f`"),
    ],
)
def test_an_alignment_of_other_pairs_is_refused(
    content: bytes, numbering: Numbering, sentence: str
) -> None:
    with pytest.raises(UserError, match=sentence):
        read_alignments("f", content, PAIRS, numbering)


def test_a_real_alignment_has_its_sure_and_possible_links() -> None:
    sides = [sample_lines(f"debates.{side}") for side in "ef"]
    pairs = [Pair(src, tgt) for src, tgt in zip(*sides, strict=True)]
    lines = sample_lines("debates.wa")
    found = read_alignments("debates.wa", sample("debates.wa").read_bytes(), pairs)
    assert sum(len(gold.links) for gold in found) == sum(line.endswith("S") for line in lines) > 10
    assert sum(len(gold.possible) for gold in found) == sum(line.endswith("P") for line in lines)
    for line in lines[:: len(lines) // 20]:
        sentence, src, tgt, kind = line.split()
        gold = found[int(sentence) - 1]
        assert Link(int(src) - 1, int(tgt) - 1) in (gold.links if kind == "S" else gold.possible)
