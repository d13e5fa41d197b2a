"""Every tokenizer: round trips, unknown words, files. A new row of TOKENIZERS is tested unasked."""

import json
import unicodedata

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from s2s.config import TokenizerConfig, UserError, nfc
from s2s.tokenizers import BOS, EOS, PAD, SPECIALS, TOKENIZERS, UNK, fit, load

NASTY = (
    "plain words",
    " a space first, two  inside,   three, and one last ",
    "Ça, c'est l'été à Noël : « déjà vu » – œuf",
    "e\u0301 and \u00e9 are one letter",
    "q\u0323\u0307 combining, in an order that NFC changes: q\u0307\u0323",
    "\u0301 starts with a combining mark",
    "👩‍👩‍👧‍👦 family, 🏳️‍🌈 flag, 🧑🏽‍🚀",
    "שלום עולם, مرحبا بالعالم",
    "می‌خواهم",
    "日本語の文には空白がない。",
    "tab\tand no-break\u00a0space and line\u2028separator",
    "<s> </s> <pad> <unk> spelled out",
    "zero\u200bwidth \ufeff mark",
    "ﬁ ligature, ① circled, Ω ohm",
    "'quoted' \"doubly\" isn't (bracketed) 3.14 a_b-c@d.e",
    "ß ẞ İ ı ǆ",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 beyond the first plane",
)
SCRIPTS = {
    "right to left": (
        "שלום עולם, בראשית בָּרָא אֱלֹהִים",
        "السَّلامُ عليكم ورحمة الله ۱۲۳",
        "می\u200cخواهم \u200fabc\u200e ١٢",
    ),
    "Chinese, Japanese, Korean": (
        "日本語の文には空白がない。",
        "我喜欢在公园里散步，𠮷野家。",
        "나는 공원에서 산책한다",
        "ｶﾞ ガ が",
    ),
    "Thai and its neighbors": (
        "สวัสดีชาวโลก น้ำ กำลัง",
        "ສະບາຍດີ",
        "ជំរាបសួរ",
        "မင်္ဂလာပါ",
        "नमस्ते क्षत्रिय श्री",
    ),
    "combining accents": (
        "a\u0323\u0302 vie\u0323\u0302t Nam",
        "z\u0335\u0321\u0325a\u0336l\u0337g\u0338o",
        "x\u0301 y\u0308 ñ n\u0303",
        "ﬁ Å Å",
    ),
    "emoji": (
        "👩\u200d👩\u200d👧\u200d👦 👩🏽\u200d🚀",
        "🇫🇷🇩🇪 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "🏳\ufe0f\u200d🌈 1\ufe0f\u20e3 👍🏿👍🏻",
    ),
}
SHAKESPEARE = (
    "to be or not to be, that is the question",
    "whether 'tis nobler in the mind to suffer",
    "the slings and arrows of outrageous fortune",
    "or to take arms against a sea of troubles",
)


def fitted(kind, texts=NASTY, vocab_size=None):
    return TOKENIZERS[kind].make(texts, vocab_size)


def expected(kind, text):
    """What has to come back: all of it, except that the word tokenizer merges spaces."""
    return " ".join(nfc(text).split()) if kind == "word" else nfc(text)


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_specials_have_the_first_ids(kind):
    assert (PAD, BOS, EOS, UNK) == (0, 1, 2, 3)
    assert fitted(kind).tokens(range(4)) == ["<pad>", "<s>", "</s>", "<unk>"] == list(SPECIALS)


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_decoding_gives_the_text_back(kind):
    tokenizer = fitted(kind)
    for text in NASTY:
        ids = tokenizer.encode(text)
        assert tokenizer.decode(ids) == expected(kind, text)
        assert len(tokenizer.tokens(ids)) == len(ids)
        assert all(4 <= index < tokenizer.vocab_size for index in ids), (
            "no special, spelled out or not, comes from a text"
        )
        assert tokenizer.unknown(text) == []


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("kind", TOKENIZERS)
def test_every_script_survives(kind, script, tmp_path):
    tokenizer = fitted(kind, SCRIPTS[script])
    tokenizer.save(tmp_path / "tokenizer.json")
    for made in (tokenizer, load(tmp_path / "tokenizer.json")):
        encoded = made.encode_many(SCRIPTS[script])
        assert [made.decode(ids) for ids in encoded] == [
            expected(kind, text) for text in SCRIPTS[script]
        ]
        assert min(map(min, encoded)) > UNK


FITTED = {kind: TOKENIZERS[kind].make(NASTY, None) for kind in TOKENIZERS}
KNOWN = sorted({*nfc("".join(NASTY))})


@pytest.mark.parametrize("kind", [kind for kind in TOKENIZERS if kind != "word"])
@given(text=st.text(st.sampled_from(KNOWN), max_size=20))
def test_known_characters_in_any_order_come_back(kind, text):
    assume({*nfc(text)} <= {*KNOWN})  # composing may make a character that no text had
    assert FITTED[kind].decode(FITTED[kind].encode(text)) == nfc(text)


@pytest.mark.parametrize("kind", TOKENIZERS)
@given(text=st.text(st.characters(exclude_characters="▁", codec="utf-8"), max_size=20))
def test_any_text_can_be_encoded(kind, text):
    ids = FITTED[kind].encode(text)
    assert all(UNK <= index < FITTED[kind].vocab_size for index in ids)
    if not FITTED[kind].unknown(text):
        assert FITTED[kind].decode(ids) == expected(kind, text)


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_both_spellings_of_a_letter_have_the_same_ids(kind):
    tokenizer = fitted(kind)
    for text in NASTY:
        assert tokenizer.encode(unicodedata.normalize("NFD", text)) == tokenizer.encode(text)


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_many_are_encoded_as_one_by_one(kind):
    tokenizer = fitted(kind)
    assert tokenizer.encode_many(iter(NASTY)) == [tokenizer.encode(text) for text in NASTY]
    assert tokenizer.encode_many([]) == []
    assert tokenizer.encode("") == []
    assert tokenizer.decode([]) == ""


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_decoding_leaves_specials_out(kind):
    tokenizer = fitted(kind)
    ids = tokenizer.encode("plain words")
    assert tokenizer.decode([BOS, *ids, EOS, PAD, PAD]) == "plain words"
    assert "<unk>" in tokenizer.decode([BOS, UNK, EOS])


@pytest.mark.parametrize("kind", [kind for kind in TOKENIZERS if kind != "byte"])
def test_unknown_words_are_named_once_and_decoded_as_unk(kind):
    tokenizer = fitted(kind, SHAKESPEARE)
    assert tokenizer.unknown("to Ж be XЖ or Ж") == ["Ж", "XЖ"]
    assert tokenizer.decode(tokenizer.encode("to Ж be")) == "to <unk> be"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("jumps", ["j"]),
        ("jump mJ", ["j", "J"]),
        ("spum", []),
        ("s\U0001f469\u200d\U0001f467p", ["\U0001f469\u200d\U0001f467"]),
        ("u\u0338", ["\u0338"]),
        ("ЖЖ", ["Ж"]),
    ],
)
@pytest.mark.parametrize("kind", [kind for kind in TOKENIZERS if kind not in ("byte", "word")])
def test_an_unknown_character_is_named_and_not_its_word(kind, text, parts):
    tokenizer = fitted(kind, ["spumps mu ps"])
    assert tokenizer.unknown_kind == "character"
    assert tokenizer.unknown_parts(text) == parts


def test_of_a_vocabulary_of_words_the_word_is_unknown():
    tokenizer = fitted("word", ["spumps mu ps"])
    assert tokenizer.unknown_kind == "word"
    assert tokenizer.unknown_parts("jumps mu") == ["jumps"]


def test_an_unknown_space_is_reported():
    assert fitted("char", ["letters"]).unknown("let set") == [" "]


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_saved_and_loaded_is_the_same(kind, tmp_path):
    tokenizer = fitted(kind)
    tokenizer.save(tmp_path / "new" / "tokenizer.json")
    again = load(tmp_path / "new" / "tokenizer.json")
    assert (again.kind, again.vocabulary, again.words) == (
        kind,
        tokenizer.vocabulary,
        tokenizer.words,
    )
    assert again.encode_many(NASTY) == tokenizer.encode_many(NASTY)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["tokenizer.json"], (
        "no temporary file is left"
    )


@pytest.mark.parametrize("kind", TOKENIZERS)
@settings(max_examples=10)
@given(
    texts=st.lists(st.text(st.sampled_from(KNOWN), min_size=1, max_size=20), min_size=1, max_size=5)
)
def test_the_same_texts_give_the_same_tokenizer(kind, texts):
    assert fitted(kind, texts).to_json() == fitted(kind, texts).to_json()


@pytest.mark.parametrize("kind", TOKENIZERS)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON; give a tokenizer file that s2s saved"),
        ("[]", "is not a tokenizer file"),
        ('{"format": 99, "kind": "KIND"}', "has format 99, newer than the supported format 1"),
        ('{"format": 1, "kind": "bqe"}', "no tokenizer `bqe`; the nearest are `bpe`"),
        ('{"format": 1}', "There is no tokenizer `None`"),
    ],
)
def test_a_broken_file_is_refused_in_a_sentence(kind, content, message, tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text(content.replace("KIND", kind))
    with pytest.raises(UserError, match=message):
        load(path)


@pytest.mark.parametrize(
    "content",
    [
        {"kind": "char"},
        {"kind": "word", "pieces": "abc"},
        {"kind": "char", "pieces": ["a", 3]},
        {"kind": "bpe", "pieces": ["a"]},
        {"kind": "bpe", "pieces": ["a", "b"], "merges": [["a", "b"]]},
        {"kind": "bpe", "pieces": ["a", "b"], "merges": [["a"]]},
        {"kind": "bpe", "pieces": "ab", "merges": []},
        {"kind": "unigram", "pieces": ["a"]},
        {"kind": "unigram", "pieces": ["a", "b"], "log_probs": [-1.0]},
        {"kind": "unigram", "pieces": ["a", "a"], "log_probs": [-1.0, -1.0]},
        {"kind": "unigram", "pieces": ["a"], "log_probs": [None]},
        {"kind": "unigram", "pieces": ["a"], "log_probs": [float("nan")]},
        {"kind": "unigram", "pieces": "ab", "log_probs": [-1.0, -1.0]},
    ],
)
def test_a_file_with_half_its_content_is_refused(content, tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"format": 1, **content}))
    with pytest.raises(UserError, match=f"is not a complete `{content['kind']}` tokenizer"):
        load(path)


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "tokenizer.json").mkdir()
    with pytest.raises(UserError, match=r"tokenizer\.json` cannot be written"):
        fitted("byte").save(tmp_path / "tokenizer.json")
    assert [path.name for path in tmp_path.iterdir()] == ["tokenizer.json"]


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"none\.json` cannot be read"):
        load(tmp_path / "none.json")


def test_shared_is_one_object_and_apart_is_two():
    src = ["le chat"]
    tgt = ["the cat"]
    one, same = fit(TokenizerConfig(kind="word"), src, tgt)
    assert one is same
    assert one.words == ("le", "chat", "the", "cat")
    first, second = fit(TokenizerConfig(kind="word", shared=False), src, tgt)
    assert (first.words, second.words) == (("le", "chat"), ("the", "cat"))


@pytest.mark.parametrize(
    ("src", "tgt", "side"), [([], ["a"], "source"), (["a"], ["", " "], "target")]
)
def test_a_side_without_text_is_refused(src, tgt, side):
    with pytest.raises(UserError, match=f"The {side} side has no text"):
        fit(TokenizerConfig(), src, tgt)
