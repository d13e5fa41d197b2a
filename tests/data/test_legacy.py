"""Encodings older than Unicode: none is read as another one, and the one that is chosen is used in every format."""

import json

import pandas as pd
import pytest

from s2s.config import UserError
from s2s.data import load
from s2s.data.files import decode_lines, offered
from s2s.data.formats.legacy import likely

TEXTS = {
    "Russian": "Президент сказал, что завтра будет дождь. Я люблю читать книги.",
    "Greek": "Ο πρόεδρος είπε ότι αύριο θα βρέξει. Άννα, μου αρέσει να διαβάζω βιβλία.",
    "Hebrew": "הנשיא אמר שמחר ירד גשם. אני אוהב לקרוא ספרים.",
    "Arabic": "قال الرئيس إن السماء ستمطر غدا. أحب قراءة الكتب.",
    "Turkish": "Başkan yarın yağmur yağacağını söyledi. Kitap okumayı seviyorum.",
    "Polish": "Prezydent powiedział, że jutro będzie padać. Lubię czytać książki.",
    "Hungarian": "Az elnök azt mondta, hogy holnap eső lesz. Jó napot, őrült fű!",
    "Romanian": "Preşedintele a spus că mâine va ploua. Îmi place să citesc cărţi.",
    "French": "Ça coûte 5 € à l'œuvre, le cœur de ma sœur",
    "Lithuanian": "Prezidentas pasakė, kad rytoj lis. Žąsys šąla. Ačiū už viską.",
    "Thai": "ประธานาธิบดีกล่าวว่าพรุ่งนี้ฝนจะตก ฉันชอบอ่านหนังสือ",
    "Japanese": "大統領は明日雨が降ると言いました。私は本を読むのが好きです。",
    "Chinese": "总统说明天会下雨。我喜欢读书。你好，世界！",
    "Traditional Chinese": "總統說明天會下雨。我喜歡讀書。你好，世界！",
    "Korean": "대통령은 내일 비가 올 것이라고 말했다. 나는 책 읽는 것을 좋아한다.",
}
ENCODED = [
    ("Russian", "cp1251 koi8-r cp866 iso8859-5 mac-cyrillic"),
    ("Greek", "cp1253 iso8859-7"),
    ("Hebrew", "cp1255 iso8859-8"),
    ("Arabic", "cp1256 iso8859-6"),
    ("Turkish", "cp1254 iso8859-9"),
    ("Polish", "cp1250 iso8859-2 cp852"),
    ("Hungarian", "cp1250 iso8859-2"),
    ("Romanian", "cp1250 iso8859-2"),
    ("French", "iso8859-15 mac-roman"),
    ("Lithuanian", "cp1257"),
    ("Thai", "cp874"),
    ("Japanese", "cp932 euc_jp"),
    ("Chinese", "gb18030"),
    ("Traditional Chinese", "big5"),
    ("Korean", "euc_kr"),
]
CASES = [(language, codec) for language, codecs in ENCODED for codec in codecs.split()]
ENGLISH = "The president said that it will rain"


@pytest.mark.parametrize(("language", "codec"), CASES)
def test_an_encoding_beside_english_is_recognized(tmp_path, language, codec):
    text = TEXTS[language]
    path = tmp_path / "a.tsv"
    path.write_bytes(f"{ENGLISH}\t{text}\n".encode(codec))
    with pytest.raises(UserError, match=r"`.*a\.tsv` is not UTF-8: .*This looks like .*#encoding="):
        load(str(path))
    offer = offered([path])
    assert offer.samples == ((ENGLISH, text),)
    corpus = load(f"{path}#encoding={offer.likely}")
    assert [(pair.src, pair.tgt) for pair in corpus.pairs] == [(ENGLISH, text)]
    assert "was read as" in corpus.notes[-1]


@pytest.mark.parametrize(
    "text",
    [
        "été, summer",
        "Le président a dit qu'il pleuvra demain « déjà ».",
        "Der Präsident sagte, es werde über Größe geredet. Äpfel",
        "El presidente dijo que mañana lloverá. ¿Cómo estás?",
        "O presidente disse que amanhã choverá. Não, coração.",
        "Forsetinn sagði að það myndi rigna á morgun. Ég elska bækur.",
        "Præsidenten sagde, at det bliver regn på søndag.",
        "“He said ‘yes’” — don’t…",
        "it’s – fine",
        "M'agrada llegir llibres, això és l·là països",
        "Mulle meeldib raamatuid lugeda, õhtul ööpäev",
    ],
)
def test_latin_1_is_still_read(text):
    assert likely(text.encode("cp1252")) is None


RUSSIAN = TEXTS["Russian"]
FORMATS = {
    "a.csv": f'src,tgt\n{ENGLISH},"{RUSSIAN}"\n',
    "a.jsonl": json.dumps({"src": ENGLISH, "tgt": RUSSIAN}, ensure_ascii=False),
    "a.json": json.dumps([{"src": ENGLISH, "tgt": RUSSIAN}], ensure_ascii=False),
    "a.tsv": f"{ENGLISH}\t{RUSSIAN}\n",
}


@pytest.mark.parametrize("codec", ["cp1251", "windows-1251", "koi8-r", "utf-16-le", "gb18030"])
@pytest.mark.parametrize("name", FORMATS)
def test_the_chosen_encoding_is_used(tmp_path, name, codec):
    (tmp_path / name).write_bytes(FORMATS[name].encode(codec))
    corpus = load(f"{tmp_path / name}#encoding={codec}")
    assert [(pair.src, pair.tgt) for pair in corpus.pairs] == [(ENGLISH, RUSSIAN)]


def test_two_files_and_plain_text_take_the_chosen_encoding(tmp_path):
    (tmp_path / "a.en").write_text(ENGLISH)
    (tmp_path / "a.ru").write_bytes(RUSSIAN.encode("koi8-r"))
    pairs = load(f"{tmp_path}/a.en,{tmp_path}/a.ru#encoding=koi8-r").pairs
    assert [(pair.src, pair.tgt) for pair in pairs] == [(ENGLISH, RUSSIAN)]
    assert load(f"text:{tmp_path}/a.ru#unit=line,encoding=koi8-r").pairs[0].src == RUSSIAN


def test_an_encoding_is_only_for_what_is_not_utf_8(tmp_path):
    (tmp_path / "a.tsv").write_text(f"{ENGLISH}\t{RUSSIAN}\n")
    assert load(f"{tmp_path}/a.tsv#encoding=cp1251").pairs[0].tgt == RUSSIAN


def test_iso_2022_jp_looks_like_ascii(tmp_path):
    (tmp_path / "a.tsv").write_bytes(f"{ENGLISH}\t{TEXTS['Japanese']}\n".encode("iso2022_jp"))
    assert load(f"{tmp_path}/a.tsv#encoding=iso2022_jp").pairs[0].tgt == TEXTS["Japanese"]


def test_a_character_across_two_chunks_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr("s2s.data.formats.streams.CHUNK", 7)
    (tmp_path / "a.tsv").write_bytes(f"{ENGLISH}\t{TEXTS['Chinese']}\n".encode("gb18030") * 50)
    assert {pair.tgt for pair in load(f"{tmp_path}/a.tsv#encoding=gb18030").pairs} == {
        TEXTS["Chinese"]
    }


@pytest.mark.parametrize("encoding", ["nonsense", "idna", "base64", "unicode_escape"])
def test_an_unknown_encoding_is_refused(tmp_path, encoding):
    (tmp_path / "a.tsv").write_text("a\tb\n")
    with pytest.raises(UserError, match=f"There is no encoding `{encoding}`; give one such as"):
        load(f"{tmp_path}/a.tsv#encoding={encoding}")


def test_bytes_outside_of_the_chosen_encoding_are_refused(tmp_path):
    (tmp_path / "a.tsv").write_bytes(f"{ENGLISH}\t{RUSSIAN}\n".encode("cp1251"))
    with pytest.raises(UserError, match=r"is not ascii: byte 0xCF at offset 37 \(line 1\)"):
        load(f"{tmp_path}/a.tsv#encoding=ascii")


def test_lines_in_two_encodings_are_refused(tmp_path):
    lines = [f"{ENGLISH}\t{RUSSIAN}\n".encode(codec) for codec in ("cp1251", "utf-8", "cp1251")]
    (tmp_path / "a.tsv").write_bytes(b"".join(lines))
    with pytest.raises(UserError, match=r"mixes encodings: .* is not UTF-8, but other lines are"):
        load(f"{tmp_path}/a.tsv")


def test_a_folder_of_files_takes_the_chosen_encoding(tmp_path):
    (tmp_path / "train.csv").write_bytes(FORMATS["a.csv"].encode("cp1251"))
    assert load(f"disk:{tmp_path}#encoding=cp1251").pairs[0].tgt == RUSSIAN


def test_files_that_must_be_utf_8_say_what_they_look_like():
    with pytest.raises(
        UserError, match=r"line 1\) looks like KOI8-R \(Russian\); save it as UTF-8"
    ):
        decode_lines(RUSSIAN.encode("koi8-r"), "a.txt")


def test_another_encoding_far_below_latin_1_is_refused(tmp_path):
    latin = "The house\tLa maison d'été\n".encode("cp1252") * 20_000
    (tmp_path / "a.tsv").write_bytes(latin + f"{ENGLISH}\t{RUSSIAN}\n".encode("cp1251"))
    with pytest.raises(
        UserError, match=r"not all Latin-1, as byte 0xE9 at offset 22 \(line 1\) seems"
    ):
        load(f"{tmp_path}/a.tsv")


RUSSIAN_LINES = [
    "Доброе утро, как дела?",
    "Где находится вокзал?",
    "Мой брат работает в больнице.",
    "Летом мы поедем на море.",
]
CHINESE_LINES = [
    "早上好，你好吗？",
    "火车站在哪里？",
    "我哥哥在医院工作。",
    "一天我们去海边。",
]  # U+4E00 has a NUL, too
FRENCH_LINES = [
    "Où est la clé ?",
    "Il a oublié le thé.",
    "Peut-être en été.",
    "Très bien, à demain.",
]
POLISH_LINES = ["Dzień dobry, jak się masz?", "Książka i ząb.", "Żółty wąż śpi.", "Mój brat mówi."]


@pytest.mark.parametrize(
    "texts", [RUSSIAN_LINES, CHINESE_LINES, FRENCH_LINES], ids=["ru", "zh", "fr"]
)
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_of_any_script_needs_no_byte_order_mark(tmp_path, codec, texts):
    path = tmp_path / "a.tsv"
    path.write_bytes("".join(f"line {text}\t{text}\n" for text in texts).encode(codec))
    assert [pair.tgt for pair in load(str(path)).pairs] == texts


@pytest.mark.parametrize("codec", ["cp1251", "koi8-r", "cp866"])
def test_capitals_are_judged_as_small_letters(codec):
    data = "\n".join(text.upper() for text in RUSSIAN_LINES).encode(codec)
    assert likely(data).codec == codec


def test_estonian_is_told_by_a_letter_that_latin_1_lacks():
    data = "\n".join(["Alžeeria on suur", "võtmeid ei saa", "šilling", "režiim", "õun"] * 2)
    assert likely(data.encode("cp1257")).codec == "cp1257"
    assert likely("õun ja võti, öö ja ära".encode("cp1252")) is None


@pytest.mark.parametrize(
    ("sources", "codec"),
    [(FRENCH_LINES, "cp1252"), (POLISH_LINES, "cp1250"), (FRENCH_LINES, "utf-8")],
)
def test_two_files_may_have_two_encodings(tmp_path, sources, codec):
    """The encoding given is that of one file; the other is read as what it looks like."""
    (tmp_path / "a.src").write_bytes("\n".join(sources).encode(codec))
    (tmp_path / "a.ru").write_bytes("\n".join(RUSSIAN_LINES).encode("cp1251"))
    corpus = load(f"{tmp_path}/a.src,{tmp_path}/a.ru#encoding=cp1251")
    assert [(pair.src, pair.tgt) for pair in corpus.pairs] == [
        *zip(sources, RUSSIAN_LINES, strict=True)
    ]


@pytest.mark.parametrize("codec", ["cp1252", "utf-8"])
def test_columns_in_two_encodings_are_refused(tmp_path, codec):
    path = tmp_path / "a.tsv"
    rows = [
        src.encode(codec) + b"\t" + tgt.encode("cp1251")
        for src, tgt in zip(FRENCH_LINES, RUSSIAN_LINES, strict=True)
    ]
    path.write_bytes(b"\n".join(rows))
    with pytest.raises(UserError, match=r"mixes encodings: .* Windows-1251 \(Russian\)"):
        load(str(path))


@pytest.mark.parametrize(
    "options",
    ["encoding=cp1251", "lists=line", "quotes=remove"],
    ids=["encoding", "lists", "quotes"],
)
@pytest.mark.parametrize("name", ["a.parquet", "a.tmx", "a.en,a.de"])
def test_options_that_cannot_apply_are_refused(tmp_path, name, options):
    if name == "a.parquet":
        pd.DataFrame({"en": ["a"], "de": ["b"]}).to_parquet(tmp_path / name)
    else:
        tuvs = "".join(f'<tuv xml:lang="{one}"><seg>a</seg></tuv>' for one in ("en", "de"))
        for file in name.split(","):
            (tmp_path / file).write_text(
                f'<tmx version="1.4"><header srclang="en"/><body><tu>{tuvs}</tu></body></tmx>\n'
            )
    spec = ",".join(f"{tmp_path}/{file}" for file in name.split(","))
    if "," in name and options.startswith("encoding"):
        assert len(load(f"{spec}#{options}").pairs) == 1
        return
    with pytest.raises(UserError, match=r"leave (it|them) out"):
        load(f"{spec}#{options}")
