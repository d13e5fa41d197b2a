"""Translation memories: variants of one language, the source language, white space and inline markup."""

from pathlib import Path

import pytest

from s2s.data import Corpus, Pair, load

EN_US, EN_GB, DE = ("en-US", "colour"), ("en-GB", "color"), ("de-DE", "Farbe")


def tu(*segments: tuple[str, str]) -> str:
    inner = (f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>' for code, text in segments)
    return f"<tu>{''.join(inner)}</tu>"


def read(
    folder: Path, *units: str, head: str = "<header/>", more: str = "", name: str = "a"
) -> Corpus:
    path = folder / f"{name}.tmx"
    path.write_text(f"<tmx>{head}<body>{''.join(units)}</body></tmx>", "utf-8")
    return load(f"{path}{more}")


def texts(corpus: Corpus) -> list[tuple[str, str]]:
    return [(pair.src, pair.tgt) for pair in corpus.pairs]


def test_variants_of_a_language_are_read_together_and_said(tmp_path: Path) -> None:
    units = [tu(EN_US, DE), tu(EN_GB, DE), tu(("EN", "c"), ("de", "C")), tu(EN_US, EN_GB, DE)]
    found = read(tmp_path, *units)
    assert texts(found) == [
        ("colour", "Farbe"),
        ("color", "Farbe"),
        ("c", "C"),
        ("colour", "Farbe"),
    ]
    assert found.notes[0] == "`en` is the source, `de` the target."
    assert "`en-GB` is read as `en`: one language." in found.notes
    # a code that was asked for keeps its meaning
    assert len(read(tmp_path, *units, more="#src=en-US,tgt=de-DE")) == 2
    assert texts(read(tmp_path, *units, more="#src=en_us,tgt=en-gb")) == [("colour", "color")]


def test_a_code_that_is_also_a_word_is_a_language_here(tmp_path: Path) -> None:
    for code in ("no", "id"):
        found = read(tmp_path, tu((code, "x"), EN_GB, EN_US))
        assert texts(found) == [("x", "color")]
    units = [tu(("eng", "a"), ("deu", "A")), tu(("en", "b"), ("de", "B"))]
    assert texts(read(tmp_path, *units)) == [("a", "A"), ("b", "B")]


def test_a_variant_after_the_first_rows_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, *[tu(EN_US, DE)] * 150, tu(("en", "late"), ("de", "spät")))
    assert found.pairs[-1] == Pair("late", "spät")
    assert "`en` is read as `en-US`: one language." in found.notes


def test_scripts_are_apart_and_variants_alone_are_a_pair(tmp_path: Path) -> None:
    assert texts(read(tmp_path, tu(EN_US, EN_GB))) == [("colour", "color")]
    chinese = tu(("zh-TW", "體"), ("zh-CN", "体"))
    assert texts(read(tmp_path, chinese)) == [("體", "体")]
    three = tu(("zh-Hant", "體"), ("zh-CN", "体"), ("en", "body"))
    assert texts(read(tmp_path, three)) == [("體", "body")]
    assert texts(read(tmp_path, three, more="#src=zh-CN,tgt=en")) == [("体", "body")]


@pytest.mark.parametrize("name", ["a", "de-en"])
def test_srclang_is_the_source(tmp_path: Path, name: str) -> None:
    unit = tu(("de-DE", "Haus"), ("en-US", "house"))
    found = read(tmp_path, unit, head='<header srclang="EN"/>', name=name)
    assert texts(found) == [("house", "Haus")]
    assert "The file calls `EN` its source language (`srclang`)." in found.notes
    every = read(tmp_path, unit, head='<header srclang="*all*"/>', name=name)
    assert texts(every) == [("Haus", "house")]
    of_unit = unit.replace("<tu>", '<tu srclang="en-US">')
    assert texts(read(tmp_path, of_unit, name=name)) == [("house", "Haus")]
    british = read(tmp_path, tu(EN_US, EN_GB, DE), head='<header srclang="en-GB"/>')
    assert texts(british) == [("color", "Farbe")]


def test_white_space_is_collapsed_as_in_xml(tmp_path: Path) -> None:
    unit = tu(("en", "\n        the\n\t  house \r\n "), ("fr", "Oui\u00a0! "))
    found = read(tmp_path, unit)
    assert texts(found) == [("the house", "Oui\u00a0!")]
    assert "tabs and runs of spaces in the segments of" in found.notes[1]
    kept = unit.replace("<tu>", '<tu xml:space="preserve">')
    assert texts(read(tmp_path, kept))[0][1] == "Oui\u00a0! "
    inner = kept.replace("<seg>", '<seg xml:space="default">')
    assert texts(read(tmp_path, inner)) == [("the house", "Oui\u00a0!")]


@pytest.mark.parametrize(
    ("segment", "text"),
    [
        ("one<ph/>two", "one two"),
        ("one<ph>&lt;br/&gt;</ph>two<it pos='begin'/>three", "one two three"),
        ("one<bpt i='1'>&lt;p&gt;</bpt>two<ept i='1'>&lt;/p&gt;</ept>.", "one two."),
        ("one<br/>two<x id='1'/>three", "one two three"),
        ("Stop.<ph/>Go (<ph/>now<ph/>)<ph/>, please", "Stop. Go (now), please"),
        ("un<bpt i='1'/>believ<ept i='1'/>able H<hi>2</hi>O", "unbelievable H2O"),
        ("un<ph>&lt;b&gt;</ph>like<it type='bold'/>ly", "unlikely"),
        ("Press<bpt i='1'/>Enter<ept i='1'/> now!<hi>really</hi>", "Press Enter now! really"),
        ("\n  Click <bpt i='1'>&lt;b&gt;</bpt>here<ept i='1'/>\n  now", "Click here now"),
        ("l'<ph/>homme www.<hi>example</hi>.com", "l'homme www.example.com"),
        ("你好<ph/>世界", "你好世界"),
        ("हिन्दी<ph/>में", "हिन्दी में"),
    ],
)
def test_markup_between_words_leaves_a_space(tmp_path: Path, segment: str, text: str) -> None:
    assert texts(read(tmp_path, tu(("en", segment), ("de", "x")))) == [(text, "x")]


def test_the_pair_is_of_two_languages_that_most_units_have(tmp_path: Path) -> None:
    rare, usual = tu(("en", "r"), ("de", "R")), tu(("en", "u"), ("fr", "U"))
    assert texts(read(tmp_path, rare, *[usual] * 3)) == [("u", "U")] * 3
    assert texts(read(tmp_path, rare, *[usual] * 2)) == [("r", "R")]  # about as many: the first
    of_three = tu(("nl", "N"), ("en", "u"), ("fr", "U"))
    reverse = tu(("fr", "U"), ("en", "u"))
    assert texts(read(tmp_path, of_three, *[reverse] * 3)) == [("U", "u")] * 4


def test_languages_that_are_not_read_are_said(tmp_path: Path) -> None:
    found = read(tmp_path, tu(EN_US, EN_GB, DE, ("fr", "couleur"), ("it", "colore")))
    assert "The file also has texts in `fr`, `it`." in found.notes
    british = read(tmp_path, tu(EN_US, EN_GB, DE), more="#src=en-GB,tgt=de-DE")
    assert not any("also has" in note for note in british.notes)


def test_locales_of_systems_are_languages(tmp_path: Path) -> None:
    unit = tu(("sr@latin", "pas"), ("sr", "пас"), ("en_US.UTF-8", "dog"))
    found = read(tmp_path, unit, head='<header srclang="en_US"/>')
    assert texts(found) == [("dog", "пас")]


def test_further_segments_in_one_language_are_said(tmp_path: Path) -> None:
    found = read(tmp_path, tu(("en", "a"), ("de", "A"), ("de", "A")), tu(("en", "b"), ("de", "B")))
    assert not any("several segments" in note for note in found.notes)
    more = read(tmp_path, tu(("en", "a"), ("de", "A"), ("de", "B")), name="b")
    assert texts(more) == [("a", "A")]
    assert any("several segments in `de`" in note for note in more.notes)
