"""What is special to one kind of tokenizer."""

import math
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as texts

from s2s.config import TokenizerConfig, UserError, nfc
from s2s.tokenizers import TOKENIZERS, UNK, Tokenizer, fit, load, visible
from s2s.tokenizers.bpe import BpeTokenizer
from s2s.tokenizers.byte import ByteTokenizer, CharTokenizer
from s2s.tokenizers.subword import automatic_size
from s2s.tokenizers.unigram import UnigramTokenizer
from s2s.tokenizers.word import WordTokenizer, advice, lacks_spaces
from tests.samples import sample_lines

SENTENCES = ["the low house", "the lower house", "the lowest house", "a house"]


def test_most_frequent_first_and_ties_by_first_appearance():
    assert CharTokenizer.fit(["cba", "a"]).vocabulary[4:] == ("a", "c", "b")
    assert WordTokenizer.fit(["z y x", "y"]).words == ("y", "z", "x")


@pytest.mark.parametrize(("cls", "kept"), [(CharTokenizer, "a"), (WordTokenizer, "aa")])
def test_a_small_vocabulary_keeps_the_most_frequent(cls, kept):
    tokenizer = cls.fit(["aa aa b"], 5)
    assert tokenizer.vocabulary[4:] == (kept,)
    assert tokenizer.encode("b") == [UNK]


def test_char_tokens_can_be_seen():
    tokenizer = CharTokenizer.fit(["a b\t\u200d\u0301é"])
    assert tokenizer.tokens(tokenizer.encode("a \t\u200dé")) == "a ▁ <U+0009> <U+200D> é".split()


def test_a_joiner_inside_a_word_stays_what_it_is():
    tokenizer = WordTokenizer.fit(["می\u200cخواهم"])
    assert tokenizer.tokens([4]) == ["می\u200cخواهم"]


def test_a_soft_hyphen_inside_a_word_is_named():
    assert visible("Zei\u00adtung") == "Zei<U+00AD>tung"


def test_bytes_are_utf_8():
    tokenizer = ByteTokenizer()
    assert tokenizer.vocab_size == 260
    assert tokenizer.encode("é!") == [4 + 0xC3, 4 + 0xA9, 4 + ord("!")]
    assert tokenizer.tokens(tokenizer.encode("é !")) == ["<0xC3>", "<0xA9>", "▁", "!"]
    assert tokenizer.decode([4 + 0xC3, 4 + ord("a")]) == "\ufffda"


@pytest.mark.parametrize("vocab_size", [260, 261, 10_000])
def test_bytes_fit_any_vocabulary_of_at_least_260(vocab_size):
    assert ByteTokenizer.fit([], vocab_size).vocab_size == 260


def test_bytes_need_260():
    with pytest.raises(
        UserError,
        match=r"`tokenizer.vocab_size` 259 is too small for bytes: 256 bytes and 4 specials need 260\.",
    ):
        ByteTokenizer.fit([], 259)


def test_bpe_shows_where_words_start():
    tokenizer = BpeTokenizer.fit(SENTENCES)
    assert tokenizer.tokens(tokenizer.encode("the house"))[0].startswith("▁")
    assert "▁house" in tokenizer.tokens(tokenizer.encode("the house"))
    assert "".join(tokenizer.tokens(tokenizer.encode(" the  low"))) == "▁▁the▁▁low"


def test_bpe_splits_punctuation_off_but_not_the_apostrophe():
    tokenizer = BpeTokenizer.fit(["l'eau, l'eau. l'eau? (l'eau)"])
    assert tokenizer.tokens(tokenizer.encode("l'eau, (l'eau)")) == "▁l'eau , ▁ ( l'eau )".split()


def test_bpe_keeps_every_character_of_its_text():
    rare = "".join(map(chr, range(0x4E00, 0x4E00 + 500)))
    tokenizer = BpeTokenizer.fit([rare, "a"])
    assert tokenizer.decode(tokenizer.encode(rare)) == rare


def test_bpe_never_spells_a_special_however_frequent():
    texts = ["</s> <s> <unk> <pad>"] * 50
    tokenizer = BpeTokenizer.fit(texts)
    assert min(tokenizer.encode(texts[0])) >= 4
    assert "▁</s>" not in tokenizer.vocabulary[:4]
    assert tokenizer.decode(tokenizer.encode(texts[0])) == texts[0]


def test_bpe_gives_one_unknown_per_character():
    tokenizer = BpeTokenizer.fit(SENTENCES)
    assert tokenizer.encode("☃☂").count(UNK) == 2


def test_bpe_needs_room_for_the_characters():
    with pytest.raises(
        UserError,
        match=r"vocab_size` 9 is too small for byte-pair encoding on this dataset: .* need at least 15\.",
    ):
        BpeTokenizer.fit(SENTENCES, 9)
    assert BpeTokenizer.fit(SENTENCES, 15).vocab_size == 15


def test_bpe_merges_nothing_seen_only_once():
    assert all(len(token) == 1 for token in BpeTokenizer.fit(["abcdefgh"]).vocabulary[4:])


@pytest.mark.parametrize(
    ("n_characters", "size"), [(100, 50), (10_000, 500), (3_880_000, 9849), (10**9, 32_000)]
)
def test_the_automatic_size_grows_with_the_square_root_of_the_dataset(n_characters, size):
    assert automatic_size(n_characters) == size


def test_bpe_on_real_sentences():
    src = sample_lines("captions.en", 500)
    tgt = sample_lines("captions.de", 500)
    trained_part = slice(0, len(src) * 3 // 4)
    both, _ = fit(TokenizerConfig(), src[trained_part], tgt[trained_part])
    texts = [*src[trained_part], *tgt[trained_part]]
    encoded = both.encode_many(texts)
    assert [both.decode(ids) for ids in encoded] == texts
    assert sum(map(len, encoded)) < 0.6 * sum(map(len, texts)), "shorter than characters"
    unseen = [text for text in src[trained_part.stop :] if not both.unknown(text)]
    assert len(unseen) >= 0.8 * len(src[trained_part.stop :])
    assert [both.decode(ids) for ids in both.encode_many(unseen)] == unseen


def best_segmentation(tokenizer, word):
    """The highest sum of log-probabilities over all segmentations of a word, by brute force."""
    log_probs = dict(zip(tokenizer.vocabulary[4:], tokenizer.log_probs, strict=True))
    best = [0.0] + [-math.inf] * len(word)
    for end in range(1, len(word) + 1):
        best[end] = max(
            best[start] + log_probs.get(word[start:end], -math.inf) for start in range(end)
        )
    return best[-1]


def test_unigram_finds_the_most_probable_segmentation():
    tokenizer = UnigramTokenizer.fit([*SENTENCES, "lowering slower houses lest lower"], 40)
    for word in ("lowest", "houses", "slow", "elthouserlow"):
        value = sum(tokenizer.log_probs[index - 4] for index in tokenizer.encode(word))
        assert value == pytest.approx(best_segmentation(tokenizer, "▁" + word), abs=1e-6)


def test_unigram_needs_room_for_the_characters():
    with pytest.raises(
        UserError,
        match=r"vocab_size` 9 is too small for unigram on this dataset: .* need at least 15\.",
    ):
        UnigramTokenizer.fit(SENTENCES, 9)
    tokenizer = UnigramTokenizer.fit(SENTENCES, 15)
    assert tokenizer.vocab_size == 15
    assert tokenizer.decode(tokenizer.encode(SENTENCES[2])) == SENTENCES[2]


def test_unigram_tokens_go_from_probable_to_rare():
    tokenizer = UnigramTokenizer.fit(SENTENCES * 5)
    assert list(tokenizer.log_probs) == sorted(tokenizer.log_probs, reverse=True)
    assert math.fsum(map(math.exp, tokenizer.log_probs)) == pytest.approx(1, abs=1e-3)


def test_unigram_keeps_characters_of_words_that_it_does_not_learn_from(monkeypatch):
    monkeypatch.setattr("s2s.tokenizers.unigram.MAX_CHARACTERS", 30)
    texts = [*SENTENCES * 5, "xyzXYZ"]
    tokenizer = UnigramTokenizer.fit(texts, 30)
    assert tokenizer.vocab_size <= 30
    assert tokenizer.decode(tokenizer.encode("xyzXYZ")) == "xyzXYZ"


def test_unigram_never_spells_a_special_however_frequent():
    texts = ["</s> <s> <unk> <pad>"] * 50
    tokenizer = UnigramTokenizer.fit(texts)
    assert min(tokenizer.encode(texts[0])) >= 4
    assert tokenizer.decode(tokenizer.encode(texts[0])) == texts[0]


@pytest.mark.system
def test_another_process_with_other_threads_learns_the_same():
    rng = random.Random(5)
    texts = [
        " ".join(
            "".join(rng.choice("abcdefgh") for _ in range(rng.randrange(1, 9))) for _ in range(8)
        )
        for _ in range(150)
    ]
    kinds = ["bpe", "unigram"]
    made = f"[ascii(TOKENIZERS[kind].make({texts!r}, 120).to_json()) for kind in {kinds}]"
    code = f"from s2s.tokenizers import TOKENIZERS; print(*{made}, sep='\\n')"
    root = str(Path(__file__).parents[2])
    threads = {
        "RAYON_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "PYTHONHASHSEED": "7",
    }
    other = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | threads | {"PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=True,
    )
    for kind, elsewhere in zip(kinds, other.stdout.splitlines(), strict=True):
        here = TOKENIZERS[kind].make(texts, 120).to_json()
        assert elsewhere == ascii(here)
        assert TOKENIZERS[kind].make(texts[::-1], 120).to_json() == here, (
            "nor does the order of the texts matter"
        )


def test_unigram_needs_about_as_few_tokens_as_bpe():
    texts = [*sample_lines("captions.en", 500), *sample_lines("captions.de", 500)]
    counts = {}
    for cls in (BpeTokenizer, UnigramTokenizer):
        tokenizer = cls.fit(texts, 400)
        encoded = tokenizer.encode_many(texts)
        assert [tokenizer.decode(ids) for ids in encoded] == texts
        counts[cls.kind] = sum(map(len, encoded))
    assert counts["unigram"] < 1.05 * counts["bpe"]


CHINESE = ["我喜欢在公园里散步。", "他们正在海滩上踢足球。", "一个女人在看书。"]
THAI = ["ฉันชอบเดินเล่นในสวนสาธารณะ", "วันนี้อากาศดีมาก เราไปเที่ยวกันเถอะ"]
JAPANESE = ["私は公園を散歩するのが好きです。", "カメラを持った男性。"]


@pytest.mark.parametrize(
    "texts", [CHINESE, THAI, JAPANESE, ["", " ", *CHINESE], ["ACGTTGCA" * 8, "TTGACCGA" * 9]]
)
def test_sides_without_spaces(texts):
    assert lacks_spaces(texts)


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["", "  "],
        SENTENCES,
        ["我 喜欢 在 公园 里 散步 。", "他们 正在 踢 足球 。"],
        ["나는 공원에서 산책하는 것을 좋아한다"],
        ["שלום עולם"],
        ["Donaudampfschifffahrtsgesellschaft und Rindfleisch sind lange Wörter"],
        ["the word 我喜欢在公园里散步 inside an English sentence that continues"],
    ],
)
def test_sides_with_spaces(texts):
    assert not lacks_spaces(texts)


def test_only_the_first_texts_are_checked():
    assert lacks_spaces(text for text in (*CHINESE * 700, *SENTENCES * 10_000))


def test_the_word_tokenizer_warns_about_sides_without_spaces():
    assert "and the target side has almost none" in advice("word", SENTENCES, CHINESE)
    assert "and the source side has almost none" in advice("word", THAI, SENTENCES)
    assert "and both sides have almost none" in advice("word", THAI, CHINESE)
    assert advice("word", SENTENCES, SENTENCES) == ""
    assert {advice(kind, THAI, CHINESE) for kind in TOKENIZERS if kind != "word"} == {""}


NORMALIZING = WordTokenizer(["the", "cat", "I", "sleeps", ".", "?", "go:"], normalizes=True)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("The CAT sleeps", "the cat sleeps"),
        ("i, the cat", "I the cat"),
        ("\u201cThe cat sleeps!\u201d", "the cat sleeps"),
        ("Go: the cat", "go: the cat"),
        ("The cat sleeps.", "the cat sleeps"),
        ("The cat sleeps?", "the cat sleeps ?"),
        ("The cat sleeps. I go.", "the cat sleeps . I <unk> ."),
        ("!!!", ""),
        ("cat's", "<unk>"),
    ],
)
def test_a_normalizing_tokenizer_reads_capitals_and_punctuation(typed: str, read: str) -> None:
    assert NORMALIZING.decode(NORMALIZING.encode(typed)) == read
    assert WordTokenizer.from_json(NORMALIZING.to_json()).encode(typed) == NORMALIZING.encode(typed)


@given(texts.lists(texts.sampled_from(NORMALIZING.words)))
def test_normalizing_changes_no_text_of_known_words(words: list[str]) -> None:
    assert NORMALIZING.decode(NORMALIZING.encode(" ".join(words))) == " ".join(words)


SUBWORD_KINDS = [kind for kind, row in TOKENIZERS.items() if row.is_subword]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
ENGLISH = ["Where are you? I love NATO, 3.5 日 é", LETTERS, LETTERS.upper(), *["USA"] * 99]


def lowering(kind: str) -> Tokenizer:
    """A tokenizer of English that reads capitals in ordinary case."""
    content = TOKENIZERS[kind].make(ENGLISH, 160).to_json()
    return TOKENIZERS[kind].read({**content, "lowers_capitals": True})


LOWERING = {kind: lowering(kind) for kind in SUBWORD_KINDS}


@pytest.mark.parametrize("kind", SUBWORD_KINDS)
@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("WHERE ARE YOU?", "Where are you?"),
        ("HELLO", "Hello"),
        ("“WHERE?”", "“Where?”"),
        ("NO É", "No é"),
        ("3.5 YOU 日 ARE", "3.5 You 日 are"),
        ("WHY?", "Why?"),
        ("USA", "USA"),  # a token of its own
        ("USA!", "USA!"),
        ("I", "I"),
        ("3 I 日", "3 I 日"),
        ("I love NATO", "I love NATO"),
        ("", ""),
    ],
)
def test_a_text_in_capitals_is_read_in_ordinary_case(kind: str, typed: str, read: str) -> None:
    tokenizer = LOWERING[kind]
    assert tokenizer.as_read(typed) == read
    assert tokenizer.encode(typed) == tokenizer.encode(read)
    assert tokenizer.encode_many([typed, read]) == [tokenizer.encode(read)] * 2


@pytest.mark.parametrize("kind", SUBWORD_KINDS)
@given(
    text=texts.text(texts.sampled_from("ABxyÉé日3 .?'"), max_size=12)
    | texts.text(texts.characters(exclude_characters="▁", codec="utf-8"), max_size=12)
)
def test_what_is_read_in_ordinary_case_comes_back_and_stays(kind: str, text: str) -> None:
    tokenizer = LOWERING[kind]
    read = tokenizer.as_read(text)
    assert tokenizer.as_read(read) == read
    if not text.isupper():
        assert read == nfc(text)
    if not tokenizer.unknown(read):
        assert tokenizer.decode(tokenizer.encode(text)) == nfc(read)


@pytest.mark.parametrize("kind", SUBWORD_KINDS)
def test_reading_capitals_is_kept_in_the_file_and_only_where_it_is_chosen(
    kind: str, tmp_path: Path
) -> None:
    LOWERING[kind].save(tmp_path / "lowering.json")
    assert load(tmp_path / "lowering.json").encode("HELLO") == LOWERING[kind].encode("Hello")
    plain = TOKENIZERS[kind].make(ENGLISH, None)
    assert "lowers_capitals" not in plain.to_json()
    assert plain.as_read("HELLO") == "HELLO"
    assert plain.encode("HELLO") != plain.encode("Hello")


def test_a_normalizing_tokenizer_says_what_it_reads_and_others_read_what_is_written() -> None:
    assert NORMALIZING.as_read("The CAT sleeps.") == "the cat sleeps"
    assert WordTokenizer(["the"]).as_read("The CAT.") == "The CAT."
    assert CharTokenizer(["a"]).as_read("A  B") == "A  B"
