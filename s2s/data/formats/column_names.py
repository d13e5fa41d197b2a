"""The names by which people call columns of sources, targets, languages and other things. Data, no rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _pairs(names: str) -> tuple[tuple[str, str], ...]:
    return tuple((src, tgt) for src, tgt in (pair.split() for pair in names.split(",")))


# Two-letter codes of ISO 639-1, and the three-letter codes of ISO 639-3 common in parallel datasets.
CODES = _set(
    """
    aa ab af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cs cu cv cy da de dv dz ee el en eo
    es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv
    ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd
    ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq
    sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    arb ast bul ceb ces cmn deu ell eng fil fra heb hin hrv hsb hun dsb ita jpn kab kor nds nld nob pcm pol por ron
    rus slk slv spa srp swe swh tgl tur ukr vie yue zho
    """
)
LANGUAGE_NAMES = _set(
    """
    afrikaans albanian amharic arabic armenian azerbaijani basque belarusian bengali bosnian bulgarian burmese cantonese
    catalan chinese croatian czech danish dutch english esperanto estonian filipino finnish french galician georgian
    german greek gujarati hausa hebrew hindi hungarian icelandic igbo indonesian irish italian japanese kannada kazakh
    khmer korean kurdish kyrgyz lao latin latvian lithuanian luxembourgish macedonian malagasy malay malayalam maltese
    mandarin maori marathi mongolian nepali norwegian odia pashto persian polish portuguese punjabi quechua romanian
    russian sanskrit serbian sindhi sinhala slovak slovenian somali spanish sundanese swahili swedish tagalog tajik
    tamil tatar telugu thai tibetan tigrinya turkish turkmen ukrainian urdu uyghur uzbek vietnamese welsh wolof xhosa
    yiddish yoruba zulu
    deutsch englisch französisch spanisch russisch français anglais allemand espagnol español inglés ingles francés
    alemán italiano inglese português inglês nederlands engels svenska engelska polski angielski čeština
    angličtina türkçe ingilizce русский английский немецкий французский испанский українська англійська ελληνικά
    αγγλικά עברית אנגלית العربية الإنجليزية فارسی انگلیسی हिन्दी हिंदी अंग्रेज़ी অসমীয়া বাংলা ไทย
    中文 汉语 漢語 英文 英语 英語 日文 日语 日本語 韩语 法语 德语 한국어 영어 일본어 중국어
    """
)
LANGUAGES = CODES | LANGUAGE_NAMES
# What may stand beside a language in a column's name: `english_sentence`, `text_en`.
BESIDE_LANGUAGE = _set(
    """
    column content entry expression input lemma line message name original output phrase phrases raw reference segment
    sent sentence sentences side source src string target term terms text texts tgt title transcript transcription
    translation trg utterance value version word words
    """
)
# Codes that are more often something other than a language.
AMBIGUOUS = _set("id no or is to so as mr cs")
# After a code: a script, a region or both; 419 is Latin America.
SUBTAGS = re.compile(r"[A-Za-z]{2,4}|[A-Za-z]{4}[-_][A-Za-z]{2}|419|001|150")

# Pairs of names by their meaning; the first match is used.
KNOWN: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "columns named source and target": _pairs(
            "source target, src tgt, src trg, source_text target_text, source_sentence target_sentence,"
            " input target, input output,"
            "inputs targets, inputs outputs, input_text target_text"
        ),
        "a text and its summary": _pairs(
            "dialogue summary, document summary, article highlights, article abstract, article summary,"
            " text summary, documents tldr,"
            "document tldr, description abstract, email_body subject_line"
        ),
        "a sentence and a simpler or corrected version": _pairs(
            "original simplifications, normal_sentence simple_sentence, complex_sentence"
            " simple_sentence_1, complex simple,"
            "sentence corrections, original corrected, incorrect correct"
        ),
        "facts and a sentence that states them": _pairs(
            "meaning_representation human_reference, mr ref, mr human_reference, concepts target"
        ),
        "text and its formal representation": _pairs(
            "commands actions, command action, question query, question sql, intent snippet, nl code,"
            " code docstring, java cs"
        ),
        "a prompt and its answer": _pairs(
            "instruction output, instruction response, prompt completion, prompt response, question"
            " answer, question response,"
            "command response, query response"
        ),
        "a prompt and the better of two answers": _pairs(
            "prompt chosen, question chosen, input chosen"
        ),
        "words and their tags": _pairs(
            "tokens tags, tokens pos_tags, tokens ner_tags, tokens upos, tokens labels, tokens pos, words tags,"
            " words pos, words labels"
        ),
        "two paraphrases": _pairs("sentence1 sentence2, text1 text2, question1 question2"),
        "a text and its headline": _pairs(
            "content headline, review_body review_title, body title, text title, article title"
        ),
        "a passage and a question about it": _pairs("context question, passage question"),
    }
)
LIKE_SOURCE = _set(
    "source src input inputs document article dialogue text body prompt instruction query question command mr"
    " quelltext ausgangstext 原文 源文 源语言 원문"
)
LIKE_TARGET = _set(
    "target tgt trg output outputs targets summary highlights abstract response completion answer"
    " reference ref translation zieltext 译文 譯文 訳文 번역문"
)
# Names of metadata columns, alone or as the last of several words.
METADATA = _set(
    """
    id idx index key url uri link file filename filepath path audio image sha hash date time year lang language split
    domain label
    score rating topic category author speaker role sender rejected license licence repo name tokens tok toks
    """
)

# Names of columns in other languages: two of one language are no row of a dictionary.
ELSEWHERE = tuple(
    map(
        _set,
        (
            "wort wörter wortart lemma satz text quelle ziel übersetzung bedeutung beispiel frage antwort kategorie",
            "mot mots nature lemme phrase texte source cible traduction sens définition exemple question réponse",
            "palabra lema frase texto fuente origen destino traducción significado ejemplo pregunta respuesta",
            "parola lemma frase testo origine destinazione traduzione significato esempio domanda risposta",
            "palavra lema frase texto origem destino tradução significado exemplo pergunta resposta",
            "слово лемма предложение текст перевод значение пример вопрос ответ",
        ),
    )
)
# Names of columns whose few values say what kind of text a text is.
LABEL_NAMES = _set("label labels sentiment class category tag tags intent emotion stance polarity")
TIMES = _set("date time year")  # which are read where there are only two columns

# An instruction with each of these is one source, which is answered by a column of the other names.
HISTORY = "history"  # the instructions and answers before, in pairs
INSTRUCTIONS = MappingProxyType(
    {
        "+".join(parts): parts
        for before in ((HISTORY,), ())
        for asked in ("instruction", "prompt", "question", "query")
        for given in ("input", "context")
        if (parts := (*before, asked, given))
    }
)
ANSWERS = ("output", "response", "answer", "completion", "target")
REJECTED = frozenset({"rejected"})  # the worse of two answers
REFERENCE = frozenset({"ref", "reference"})  # several of which are no turns of a dialogue
LISTED = LIKE_TARGET | {"simplification", "correction"}  # a list named by their plural: references
