"""Each rule on texts that have its fault and on texts that only look so; the report and the cleaned corpus against each
other.
"""

import json
import random
import time

import pytest

from s2s.config import Cleaning, DataConfig, UserError, flat, settings_of
from s2s.data import Corpus, Pair, load
from s2s.data.lint import LINT_RULES, LintReport, clean, enabled_rules, lint_pairs, problems
from s2s.data.lint.characters import CharacterKind, kinds
from s2s.data.preview import Preview
from s2s.data.split import prepared
from s2s.files import from_json, to_json

PLAIN = Pair("the red house has a green garden", "la maison rouge a un jardin vert")
HOUSES = tuple(
    Pair(f"the house of {name}", f"la maison de {name}")
    for name in ("Anna", "Bert", "Cleo", "Dora", "Emil", "Fritz", "Gala")
)

# rule -> pairs that it hits among HOUSES
FAULTS = {
    "empty": [
        ("", "rien"),
        ("nothing", ""),
        (" \t\n", "rien"),
        ("nothing", "\u200b\ufeff"),
        ("\x00", "rien"),
        ("\u3164", "rien"),
        ("", ""),
    ],
    "duplicates": [("the house of Anna", "la maison de Anna")],
    "copies": [
        ("Bonjour Anna", "Bonjour Anna"),
        ("bonjour  anna", "Bonjour Anna "),
        ("STRASSE", "Straße"),
    ],
    "max_words": [("word " * 101, "mot " * 100), ("word " * 90, "mot " * 101)],
    "max_ratio": [
        ("@@", "une phrase tout entière de la traduction"),
        ("a sentence that is much too long for it", "non"),
    ],
    "script": [
        ("the house of Anna", "дом Анны, большой"),
        ("安娜的大房子", "la maison"),
        ("σπίτι της Άννας", "la maison"),
        ("안나의 집입니다", "la maison"),
    ],
    "control": [
        ("a\x00b", "a b"),
        ("a", "b\ufffd"),
        ("a\ud800", "b"),
        ("a", "\ue000b"),
        ("a\x85", "b"),
        ("\x1b[0m", "b"),
        ("\U000f0000", "b"),
    ],
    "markup": [
        ("a<br>b", "a b"),
        ("a", "b &amp; c"),
        ("a", "&#39;"),
        ("a", "&#x27;"),
        ("</p>", "a"),
        ('<a href="x">a', "b"),
        ("<!-- a -->", "b"),
        ("<br />", "b"),
    ],
    "brackets": [
        ("a (b", "c"),
        ("a) b (c", "d"),
        ("a [b (c] d)", "e"),
        ('a "b', "c"),
        ("« a", "b"),
        ("a", "“b"),
        ("「a", "b"),
        ("a big house)", "b"),
    ],
    "numbers": [
        ("in 1999", "en 1998"),
        ("3 of 4", "3"),
        ("two", "2"),
        ("1,000", "100"),
        ("7 7", "7"),
        ("0.5", "0.6"),
    ],
    "overlap": [("the house of Zoe", "la maison de Zoe")],
    "invisible": [
        ("Zei\u00adtung", "newspaper"),
        ("a", "b\u200bc"),
        ("a\ufeffb", "c"),
        ("a", "b\u2060"),
        ("a  b", "c"),
        ("a", "b\u00a0\u00a0c"),
        ("a", "Auf\u200clage"),
    ],
}
VALID = (Pair("the house of Zoe", "elle habite ici"),)

# texts that only look faulty
FINE = {
    "empty": [(".", "!"), ("👍", "\u0301a"), ("\u200bא", "ب")],
    "duplicates": [("the house of Anna", "la maison d'Anna")],
    "copies": [("one two", "two one"), ("", " ")],
    "max_words": [("word " * 100, "mot " * 100)],
    "max_ratio": [
        ("hi", "bonjour"),
        ("no", "non merci"),
        ("", "une phrase tout entière de la traduction"),
    ],
    "script": [
        ("OK", "да"),
        ("1234", "56"),
        ("Café Zoë", "œuvre ﬁn"),
        ("the house of 李", "la maison"),
        ("абв στρ ab", "x"),
    ],
    "control": [("a\tb\nc\r", "b"), ("\u200f\u202a", "é"), ("👩\u200d👩", "ﷲ")],
    "markup": [
        ("a < b", "b & c"),
        ("a <b and c> d", "AT&T;"),
        ("1 <2> 3", "&nosuch;"),
        ("<3", "&;"),
        ("a<b", "b>c"),
    ],
    "brackets": [
        ("a (b [c] {d})", "c"),
        ("a) this b) that", "1) c"),
        ("good :-) bad :(", "d"),
        ("„Hallo“", "“hello”"),
        ('"a" "b"', "c"),
        ("«a»", "»b«"),
        ("(one sitting, one up)", "”a”"),
        ("don't", "l'eau"),
    ],
    "numbers": [
        ("1,000.50", "1.000,50"),
        ("1 000", "1,000"),
        ("12\u00a0500", "12500"),
        ("10:30", "10.30"),
        ("٣", "3"),
        ("९९", "99"),
        ("7", "07"),
        ("3/5/2010", "3.5.2010"),
        ("1 and 2", "2 et 1"),
        ("x²", "x²"),
    ],
    "overlap": [("the house of zoe", "elle habite ici")],
    "invisible": [
        ("می\u200cخواهم", "क्\u200dष"),  # joiners of Persian and Hindi
        ("👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥", "ភាសា\u200bខ្មែរ"),  # of emoji; spaces of Khmer
        ("Oui\u00a0?", "10\u202f000 km"),
        ("\u200fשלום", "\u061cسلام"),
    ],
}


def hits(key: str, src: str, tgt: str) -> bool:
    """Whether the rule matches a pair that stands after ordinary ones."""
    report = lint_pairs((*HOUSES, Pair(src, tgt)), valid=VALID)
    assert sum(report.masks.values()) == report.n_pairs
    found = report.found[key]
    assert found.n in (0, 1)  # the ordinary ones are never hit
    return found.n == 1


def planted(seed: int) -> tuple[Pair, ...]:
    """Good pairs and all faults, some of them twice, shuffled."""
    draw = random.Random(seed)
    faults = [Pair(src, tgt) for rows in FAULTS.values() for src, tgt in rows]
    mixed = [
        *HOUSES,
        PLAIN,
        *(Pair(f"house {n}", f"maison {n}") for n in range(100)),
        *faults,
        *draw.sample(faults, 5),
    ]
    draw.shuffle(mixed)
    return tuple(mixed)


def test_there_is_a_rule_for_every_switch() -> None:
    switches = [key for key in flat(Cleaning()) if key != "repair"]  # which drops nothing
    assert list(LINT_RULES) == list(FAULTS) == list(FINE) == [*switches, "invisible"]  # repaired


def test_a_fault_is_found_and_said() -> None:
    for key, src, tgt in [(key, *pair) for key, rows in FAULTS.items() for pair in rows]:
        assert hits(key, src, tgt)
        (example,) = lint_pairs((*HOUSES, Pair(src, tgt)), valid=VALID).found[key].examples
        assert example.row == len(HOUSES) + 1
        assert example.reason.endswith(".")
        example.reason.encode()
        example.src.encode()


def test_what_only_looks_like_a_fault_is_none() -> None:
    for key, src, tgt in [(key, *pair) for key, rows in FINE.items() for pair in rows]:
        assert not hits(key, src, tgt)


def test_a_duplicate_names_the_line_of_the_first() -> None:
    pairs = tuple(Pair(text, "x", line=line) for text, line in (("a", 3), ("b", 5), ("a", 6)))
    (example,) = lint_pairs(pairs).found["duplicates"].examples
    assert example.reason == "The same pair is in row 3."


def test_the_reason_names_the_place() -> None:
    for key, src, tgt, reason in [
        ("empty", "", " ", "Nothing is visible in the source; nothing is visible in the target."),
        ("duplicates", "the house of Bert", "la maison de Bert", "The same pair is in row 2."),
        ("copies", "a  B", "A b", "Both sides are the same except for case or spaces."),
        ("max_words", "w " * 120, "x", "The source has 120 words."),
        (
            "script",
            "дом Анны",
            "la maison",
            "The source is in Cyrillic letters, most others are in Latin ones.",
        ),
        ("control", "ab\x00", "b", "The source has U+0000 at character 3."),
        ("markup", "a", "b <i>c</i>", "The target has <i> at character 3."),
        ("brackets", "a (b", "c", "The source does not close the ( of character 3."),
        ("brackets", "a", "b) c]", "The target has an unmatched ] at character 5."),
        ("numbers", "1 2,5 7", "7 8", "1, 25 only in the source; 8 only in the target."),
    ]:
        (example,) = lint_pairs((*HOUSES, Pair(src, tgt))).found[key].examples
        assert example.reason == reason


JAPANESE = ("東京に行きました", "彼は本を読んでいます", "コーヒーをください", "東京大学図書館")
KOREAN = ("나는 학교에 갑니다", "오늘은 날씨가 좋다", "大韓民國 서울特別市", "책을 읽고 있습니다")
CHINESE = ("我昨天去了北京", "他正在看一本书", "请给我一杯咖啡", "今天天气很好")


@pytest.mark.parametrize(
    ("usual", "strange"),
    [
        (JAPANESE, KOREAN[0]),
        (JAPANESE, "an English sentence"),
        (KOREAN, JAPANESE[2]),
        (CHINESE, JAPANESE[0]),
        (CHINESE, KOREAN[0]),
    ],
)
def test_scripts_that_are_mixed_are_one(usual: tuple[str, ...], strange: str) -> None:
    pairs = tuple(Pair("words", text) for text in usual * 5)
    assert lint_pairs(pairs).found["script"].n == 0
    assert [
        example.row
        for example in lint_pairs((*pairs, Pair("words", strange))).found["script"].examples
    ] == [len(pairs) + 1]


def test_a_japanese_side_may_have_more_han_than_kana() -> None:
    pairs = [Pair("words", text) for text in (*JAPANESE[:2], *["東京大学図書館"] * 4)]
    assert lint_pairs(pairs).found["script"].n == 0


def test_texts_have_the_same_measurements_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = planted(0)
    whole = lint_pairs(pairs, valid=VALID)
    monkeypatch.setattr("s2s.data.lint.texts.BLOCK", 50)
    assert lint_pairs(pairs, valid=VALID) == whole


def test_limits_are_those_of_the_recipe() -> None:
    pairs = (*HOUSES, Pair("one two three four five six", "un deux trois quatre cinq six"))
    assert lint_pairs(pairs, cleaning=Cleaning(max_words=5)).found["max_words"].n == 1
    wide = (*HOUSES, Pair("a word", "x" * 30))
    assert lint_pairs(wide, cleaning=Cleaning(max_ratio=2.0)).found["max_ratio"].n == 1
    assert lint_pairs(wide, cleaning=Cleaning(max_ratio=8.0)).found["max_ratio"].n == 0


def test_what_is_left_is_what_the_report_promised() -> None:
    for seed in range(20):
        draw = random.Random(seed)
        corpus = Corpus("t", "train", planted(seed))
        values = {key: draw.random() < 0.4 for key in settings_of(Cleaning)} | {
            "repair": False,
            "max_words": draw.choice([None, 20]),
            "max_ratio": draw.choice([None, 2.0]),
        }
        cleaning = Cleaning(**values)
        valid = Corpus("t", "valid", VALID)
        report = lint_pairs(corpus.pairs, valid=VALID, cleaning=cleaning)
        left = clean(corpus, cleaning, valid=valid)
        assert len(left) == len(corpus) - report.dropped(enabled_rules(cleaning))
        rest = iter(corpus.pairs)
        assert all(pair in rest for pair in left.pairs)  # in their order
        assert sum(int(note.split()[0]) for note in left.notes) == len(corpus) - len(left)
        again = clean(
            left, Cleaning(**(values | {"max_ratio": None})), valid=valid
        )  # the median ratio is another one now
        assert again.pairs == left.pairs


@pytest.mark.parametrize("seed", range(3))
def test_the_preview_counts_the_same_duplicates(seed: int) -> None:
    pairs = planted(seed)
    assert (
        lint_pairs(pairs).found["duplicates"].n
        == Preview.of(Corpus("t", "train", pairs)).n_duplicates
        > 0
    )


def test_each_rule_is_a_bit() -> None:
    report = lint_pairs(planted(1), valid=VALID)
    for place, key in enumerate(LINT_RULES):
        assert (
            report.dropped([key])
            == report.found[key].n
            == sum(n for mask, n in report.masks.items() if mask >> place & 1)
            > 0
        )
    assert report.dropped([]) == 0
    assert report.dropped(LINT_RULES) == report.n_pairs - report.masks[0]


def test_nothing_wrong_changes_nothing() -> None:
    corpus = Corpus("t", "train", HOUSES, ("A note.",))
    assert clean(corpus, Cleaning()) == corpus
    dirty = Corpus("t", "train", planted(2))
    assert clean(dirty, Cleaning(empty=False, overlap=False)) == dirty


def test_notes_say_what_was_left_out() -> None:
    corpus = Corpus(
        "t",
        "train",
        (*HOUSES, Pair("", "x"), Pair("a", "a"), Pair("b", "b"), Pair("w " * 9, "m " * 9)),
        ("A note.",),
    )
    left = clean(corpus, Cleaning(copies=True, max_words=8))
    assert left.notes == (
        "A note.",
        "1 pair was removed: a side is empty.",
        "2 pairs were removed: the target equals the source.",
        "1 pair was removed: a side has more than 8 words.",
    )


def test_a_corpus_of_faults_alone_is_refused() -> None:
    with pytest.raises(
        UserError,
        match=r"Nothing is left of `t` after cleaning: 2 pairs were removed: the target equals the source\. Disable",
    ):
        clean(Corpus("t", "train", (Pair("a", "a"), Pair("b", "b"))), Cleaning(copies=True))


def test_a_report_survives_json_and_is_small() -> None:
    report = lint_pairs(
        (*planted(3), *(Pair("x" * 5000, "y \ud800" * 500) for _ in range(50))), valid=VALID
    )
    content = json.dumps(to_json(report))
    assert from_json(LintReport, json.loads(content)) == report
    assert all(len(row.examples) == min(row.n, 20) for row in report.found.values())
    assert len(content) < 200_000


def test_progress_is_reported() -> None:
    shares = list[float]()
    lint_pairs(HOUSES, on_progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_kinds_agree_with_the_closer_look() -> None:
    table = kinds()
    for code in (
        *range(0x3000),
        *range(0xD7F0, 0xD810),
        *range(0xDFF0, 0xE010),
        *range(0xF8F0, 0x10010),
        0x10FFFF,
    ):
        assert bool(table[code] & CharacterKind.CONTROL) == (
            problems.control(chr(code)) is not None
        ), hex(code)
        assert bool(table[code] & CharacterKind.DIGIT) == chr(code).isdecimal(), hex(code)


def test_long_texts_are_no_trap() -> None:
    start = time.process_time()
    lint_pairs(
        [
            Pair(text * 20_000, "b")
            for text in (
                "<a",
                "<a ",
                "&a",
                "1 000 ",
                "1.",
                "(",
                "a)",
                '"',
                "[(",
                "<!--",
                " ",
                "&#",
                "\x00",
            )
        ]
    )
    assert time.process_time() - start < 4  # a fifth of a second here


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("Tom &amp; I, l&#39;Ã©tÃ©", "Tom & I, l'été"),
        ("a &lt;b&gt; c&#10;d", "a <b> c d"),
        ("ÐŸÑ€Ð¸Ð²ÐµÑ‚", "Привет"),
        ("“ﬁne” Ａ AT&T & été", "“ﬁne” Ａ AT&T & été"),
        ("Zei\u00adtung\u200b  \u00a0a\u2060b\ufeff c\u200cd", "Zeitung ab cd"),
        ("a &shy;b&#8203;  &nbsp;c", "a b c"),
        (
            "می\u200cخواهم 👩\u200d👩\u200d👧 ภาษา\u200bไทย",
            "می\u200cخواهم 👩\u200d👩\u200d👧 ภาษา\u200bไทย",
        ),
    ],
)
def test_texts_are_repaired_before_the_rules_where_that_is_on(given, text):
    corpus = Corpus("", "train", (Pair(given, "x", line=7),))
    on = clean(corpus, Cleaning(repair=True, markup=False))
    assert on.pairs == (Pair(text, "x"),)
    assert on.pairs[0].line == 7
    assert on.notes == (
        (
            "1 pair was repaired: HTML entities, a wrong encoding, invisible characters or runs of spaces.",
        )
        if given != text
        else ()
    )
    assert clean(corpus, Cleaning()) == corpus


def test_validation_pairs_are_repaired_too_and_an_entity_is_then_no_markup():
    pairs = tuple(Pair(f"a &amp; {at}", "b") for at in range(4))
    train = Corpus("", "train", pairs)
    valid = Corpus("", "valid", (Pair("v &amp; w", "b"),))
    config = DataConfig(clean=Cleaning(repair=True, markup=True))
    made = prepared(train, valid, 1, config)
    assert [pair.src for pair in made.train.pairs] == ["a & 0", "a & 1", "a & 2", "a & 3"]
    assert made.valid.pairs[0].src == "v & w"


def test_sources_with_several_targets_are_counted_in_both_directions() -> None:
    texts = [("a", "x"), ("a", "x"), ("a", "y"), ("b", "x"), ("c", "z"), ("a", "y")]
    report = lint_pairs([Pair(src, tgt) for src, tgt in texts])
    for found, side in ((report.several_targets, 0), (report.several_sources, 1)):
        others: dict[str, set[str]] = {}
        for pair in texts:
            others.setdefault(pair[side], set()).add(pair[1 - side])
        assert found == sum(len(each) > 1 for each in others.values()) == 1
    mini = lint_pairs(load("builtin:mini-en-fr").pairs)
    assert (mini.several_targets, mini.several_sources) == (0, 1)  # bonjour
    old = {key: value for key, value in to_json(report).items() if not key.startswith("several")}
    assert from_json(LintReport, old).several_targets is None


def test_duplicates_and_copies_are_found_in_any_unicode_form() -> None:
    composed, decomposed = "\u00e9t\u00e9", "e\u0301te\u0301"
    pairs = [Pair("a", composed), Pair("a", decomposed), Pair(composed, decomposed)]
    found = lint_pairs(pairs).found
    assert found["duplicates"].n == found["copies"].n == 1
