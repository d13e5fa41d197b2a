"""Well-known data sets of the hub to begin with: what each holds, how large it is and under which license. Nothing here asks the hub."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from s2s.data.formats.columns import Column


@dataclass(frozen=True)
class Known:
    """A data set as it was last seen: the hub may have moved on. `columns` are those of text, lists of texts with `[]`.

    `rows` are those of `split`, `size` what the whole configuration is to download; `license` is what its owner states, or says that it
    is unknown, not stated or not checked.
    """

    id: str
    config: str
    summary: str
    columns: str
    src: str
    tgt: str
    rows: str
    size: str
    license: str
    split: str = "train"
    warning: str = ""

    @property
    def shape(self) -> tuple[Column, ...]:
        """The columns as a reader finds them."""
        return tuple(
            Column(name.removesuffix("[]"), "texts" if name.endswith("[]") else "text")
            for name in self.columns.split()
        )


UNKNOWN = "unknown"
UNSAID = "none stated"
UNCHECKED = "unchecked"
SCRIPTED = "Was a script when last seen: only the hub's parquet copy, if there is one, can be read."
LARGE = "Large: take a sample."


def _two(src: str, tgt: str, front: str = "") -> tuple[str, str, str]:
    """Columns of a translation, which the hub keeps in the order of the alphabet, and its source and target."""
    first, second = sorted((src, tgt))
    return (
        f"{front}translation.{first} translation.{second}",
        f"translation.{src}",
        f"translation.{tgt}",
    )


def _pair(columns: str, src: str, tgt: str) -> tuple[str, str, str]:
    return columns, src, tgt


_ROWS = (
    # The first to offer: small, with plain columns.
    Known(
        "Helsinki-NLP/opus_books", "de-en", "Books out of copyright, sentence by sentence, in 62 pairs of languages.",
        *_two("de", "en", "id "), "51,000", "5 MB", UNKNOWN,
    ),
    Known(
        "Helsinki-NLP/opus-100", "de-en", "Many kinds of text between English and 99 other languages.",
        *_two("de", "en"), "1,000,000", "67 MB", UNKNOWN,
    ),
    Known(
        "knkarthick/dialogsum", "default", "Everyday dialogues and what was said in them.",
        *_pair("id dialogue summary topic", "dialogue", "summary"), "12,500", "13 MB", "cc-by-nc-sa-4.0",
    ),
    Known(
        "tuetschek/e2e_nlg", "default", "Facts about restaurants and sentences that tell them.",
        *_pair("meaning_representation human_reference", "meaning_representation", "human_reference"), "42,000", "12 MB", "cc-by-sa-4.0",
    ),
    Known(
        "allenai/common_gen", "default", "A few words and an everyday sentence that uses them all.",
        *_pair("concepts[] target", "concepts", "target"), "67,000", "2 MB", UNSAID,
    ),
    Known(
        "google/code_x_glue_cc_code_to_code_trans", "default", "The same functions in Java and in C#.",
        *_pair("java cs", "java", "cs"), "10,300", "5 MB", "C-UDA",
    ),
    # Translation.
    Known(
        "bentrevett/multi30k", "default", "Captions of photographs, written in English and translated into German.",
        *_pair("en de", "en", "de"), "29,000", "small", UNCHECKED,
    ),
    Known(
        "Helsinki-NLP/tatoeba", "en-mr", "Short sentences for learners.",
        *_two("en", "mr", "id "), "53,000", "1.4 MB", "cc-by-2.0", warning=SCRIPTED,
    ),
    Known(
        "Helsinki-NLP/kde4", "en-fr", "The words on the screens of a desktop.",
        *_two("en", "fr", "id "), "210,000", "7 MB", UNKNOWN, warning=SCRIPTED,
    ),
    Known(
        "Helsinki-NLP/europarl", "de-en", "Speeches in the European Parliament, in 210 pairs of languages.",
        *_two("de", "en"), "1,960,000", "291 MB", UNKNOWN,
    ),
    Known(
        "Helsinki-NLP/opus_euconst", "de-en", "The draft of a European constitution, in 210 pairs of languages.",
        *_two("de", "en"), "8,800", "0.5 MB", UNKNOWN,
    ),
    Known(
        "Helsinki-NLP/un_pc", "en-fr", "Documents of the United Nations.",
        *_two("en", "fr"), "30,000,000", "2.7 GB", UNKNOWN, warning=LARGE,
    ),
    Known(
        "Helsinki-NLP/bible_para", "de-en", "The Bible, verse by verse.",
        *_two("de", "en", "id "), "62,000", "5 MB", "cc0-1.0",
    ),
    Known(
        "wmt/wmt14", "de-en", "News and parliament: the text on which the transformer was introduced.",
        *_two("de", "en"), "4,500,000", "1.7 GB", UNSAID, warning=LARGE,
    ),
    Known(
        "wmt/wmt16", "de-en", "News and parliament, two years later.",
        *_two("de", "en"), "4,500,000", "1.7 GB", UNSAID, warning=LARGE,
    ),
    Known(
        "wmt/wmt19", "de-en", "News, parliament and pages of the web.",
        *_two("de", "en"), "38,700,000", "10.4 GB", UNSAID, warning=LARGE,
    ),
    Known(
        "IWSLT/iwslt2017", "iwslt2017-de-en", "Talks and their subtitles.",
        *_two("de", "en"), "206,000", "17 MB", "cc-by-nc-nd-4.0", warning=SCRIPTED,
    ),
    # Summaries and headlines.
    Known(
        "abisee/cnn_dailymail", "3.0.0", "News and their highlights.",
        *_pair("article highlights id", "article", "highlights"), "287,000", "585 MB", "apache-2.0",
    ),
    Known(
        "EdinburghNLP/xsum", "default", "News, each in one sentence.",
        *_pair("document summary id", "document", "summary"), "204,000", "257 MB", UNSAID, warning=SCRIPTED,
    ),
    Known(
        "knkarthick/samsum", "default", "Chats and what was said in them.",
        *_pair("id dialogue summary", "dialogue", "summary"), "14,700", "3 MB", "cc-by-nc-nd-4.0",
    ),
    Known(
        "Harvard/gigaword", "default", "First sentences of news and their headlines.",
        *_pair("document summary", "document", "summary"), "3,800,000", "578 MB", "mit", warning=SCRIPTED,
    ),
    Known(
        "alexfabbri/multi_news", "default", "Several reports of the same event and one summary.",
        *_pair("document summary", "document", "summary"), "45,000", "257 MB", "non-commercial", warning=SCRIPTED,
    ),
    Known(
        "FiscalNote/billsum", "default", "Laws proposed in the United States and their summaries.",
        *_pair("text summary title", "text", "summary"), "18,900", "67 MB", "unknown or cc0",
    ),
    Known(
        "Yale-LILY/aeslc", "default", "Business mail and its subject lines.",
        *_pair("email_body subject_line", "email_body", "subject_line"), "14,400", "12 MB", UNSAID,
    ),
    Known(
        "armanc/scientific_papers", "arxiv", "Papers and their abstracts.",
        *_pair("article abstract section_names", "article", "abstract"), "203,000", "4.5 GB", UNSAID, warning=f"{SCRIPTED} {LARGE}",
    ),
    # Sentences said otherwise.
    Known(
        "facebook/asset", "simplification", "Sentences and ten simpler ones for each.",
        *_pair("original simplifications[]", "original", "simplifications"), "2,000", "3.6 MB", "cc-by-sa-4.0", split="valid",
    ),
    Known(
        "google-research-datasets/wiki_split", "default", "Long sentences cut in two.",
        *_pair("complex_sentence simple_sentence_1 simple_sentence_2", "complex_sentence", "simple_sentence_1"),
        "990,000", "100 MB", UNSAID,
    ),
    Known(
        "jhu-clsp/jfleg", "default", "Learners' sentences and four corrections of each.",
        *_pair("sentence corrections[]", "sentence", "corrections"), "755", "0.7 MB", "cc-by-nc-sa-4.0", split="valid",
    ),
    Known(
        "grammarly/coedit", "default", "What is to be changed in a sentence, and the sentence afterwards.",
        *_pair("_id task src tgt", "src", "tgt"), "69,000", "small", UNCHECKED,
    ),
    Known(
        "google-research-datasets/paws", "labeled_final", "Sentences of the same words, with the same meaning or not (label 1 or 0).",
        *_pair("sentence1 sentence2", "sentence1", "sentence2"), "49,000", "5 MB", "other",
    ),
    # Formal languages, code, questions, plain text.
    Known(
        "google-research-datasets/cfq", "mcd1", "Questions and the database queries that answer them.",
        *_pair("question query", "question", "query"), "96,000", "268 MB", UNSAID,
    ),
    Known(
        "xlangai/spider", "spider", "Questions about many databases, in SQL.",
        *_pair("db_id query question query_toks[] query_toks_no_value[] question_toks[]", "question", "query"),
        "7,000", "100 MB", "cc-by-4.0, later cc-by-sa",
    ),
    Known(
        "google/code_x_glue_ct_code_to_text", "go", "Functions in six languages and what their authors say of them.",
        *_pair(
            "repo path func_name original_string language code code_tokens[] docstring docstring_tokens[] sha url", "code", "docstring"
        ),
        "167,000", "500 MB", "C-UDA",
    ),
    Known(
        "rajpurkar/squad", "plain_text", "Passages of an encyclopedia and questions on them.",
        *_pair("id title context question", "context", "question"), "88,000", "35 MB", "cc-by-4.0",
    ),
    Known(
        "Salesforce/wikitext", "wikitext-103-v1", "Good articles of an encyclopedia, as plain text.",
        *_pair("text", "text", "text"), "1,800,000", "190 MB", "cc-by-sa",
    ),
)  # fmt: skip

GALLERY: Mapping[str, Known] = MappingProxyType({row.id: row for row in _ROWS})
