"""The library's tokenizers equal ours on strings that are hard to tokenize, and on ids that no text has."""

import random
from pathlib import Path

import pytest
import tokenizers
from transformers import AutoTokenizer

from s2s.pretrained import export
from s2s.pretrained.export.tokenizer_json import library_tokenizer
from s2s.tokenizers import EOS, TOKENIZERS, WordTokenizer
from tests.pretrained.export.models import FORMS, perturbed, tokenizer, trained

NASTY = (
    *("", " ", "  ", "the", " the", "the ", "  the  red", "x" * 300, "the " * 50),
    *(
        "</s>",
        "a </s> b",
        "x</s>y",
        "(</s>)",
        "<s>",
        "<s> a",
        "a,<s>",
        ",<s>,",
        "(<s>)",
        "</s> </s> ",
    ),
    *("<unk>", "a <unk> b", ",<unk>,", "<pad>", "<pad> <pad>", "<mask>", "[UNK]", "##the", "Ġthe"),
    *("▁", "a▁b", "▁▁x", "▁the", "<0x41>", "\ufffd", "\x00", "a\x00b", "\ud7ff\ue000"),
    *("e\u0301te\u0301", "é", "A\u030a", "\u1100\u1161", "\u0301", "a\u0301\u0323", "ΑΣ İı ß ﬁ"),
    *(
        "\u200b",
        "a\u200bb",
        "\ufeffthe",
        "\u200f\u05d0",
        "\x1c",
        "a\x1cb",
        "a\x85b",
        "\x1d\x1e\x1f",
    ),
    *("a\u00a0b", "a\u2003b\u3000c\u2028d", "\u180e a", "a\u202fb\u205fc", "\t", "\n", "a\nb\r\nc"),
    *(
        "👨‍👩‍👧",
        "😀the",
        "日本語です。",
        "ก็ ไป",
        "don't -- stop!!!",
        "dog's",
        "’t",
        "12,34.5",
        "http://a.b/c?d=e&f",
    ),
)
SYMBOLS = "abcdehist <>/.,'▁éà日\t\n\u0301\x1c\u00a0\u2028sunkpad"


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_same_ids_and_same_text(kind: str, tmp_path: Path) -> None:
    ours = tokenizer(kind)
    model = trained(perturbed(FORMS["Pegasus"], ours.vocab_size, ours.vocab_size), ours, ours)
    export.write(export.check("transformers", model), model, tmp_path / "out", "")
    auto = AutoTokenizer.from_pretrained(tmp_path / "out")
    library = tokenizers.Tokenizer.from_file(str(tmp_path / "out" / "tokenizer.json"))
    library.encode_special_tokens = True
    draw = random.Random(1)
    texts = [*NASTY, *("".join(draw.choices(SYMBOLS, k=draw.randint(1, 14))) for _ in range(300))]
    for text in texts:
        expected = [*ours.encode(text), EOS]
        assert auto(text)["input_ids"] == expected, text
        assert library.encode(text).ids == expected, text
    size = ours.vocab_size
    generated = [draw.choices(range(size), k=draw.randint(0, 12)) for _ in range(300)]
    for ids in [*map(ours.encode, texts), *generated]:
        assert auto.decode(ids, skip_special_tokens=True) == ours.decode(ids), ids
        assert library.decode(ids) == ours.decode(ids), ids
    assert len(auto) == size
    specials = (auto.pad_token_id, auto.bos_token_id, auto.eos_token_id)
    assert specials == (0, 1, 2)
    assert list(auto(["a", "a b c d"], padding=True)) == ["input_ids", "attention_mask"]


def test_a_tokenizer_that_looks_up_other_spellings_is_refused() -> None:
    ours = WordTokenizer(["the"], normalizes=True)
    found = export.verdicts_of(FORMS["Pegasus"], ours, ours)
    assert all("in other spellings" in each.reason for each in found.values())
    with pytest.raises(ValueError, match="in other spellings"):
        library_tokenizer(ours)


def test_elsewhere_capitals_are_read_as_they_are() -> None:
    plain = tokenizer("bpe")
    ours = TOKENIZERS["bpe"].read({**plain.to_json(), "lowers_capitals": True})
    assert ours.encode("A B C D") != plain.encode("A B C D")
    assert library_tokenizer(ours).encode("A B C D").ids == [*plain.encode("A B C D"), EOS]
