"""Well-known datasets on the Hub: content, size and license. Sends no requests."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.data.gallery_row import GalleryRow

UNKNOWN = "unknown"
UNSAID = "none stated"
UNCHECKED = "unchecked"
SCRIPTED = (
    "Was a script when last checked: only the Hub's parquet copy, if there is one, can be read."
)
LARGE = "Large: use a sample."


def _two(src: str, tgt: str, front: str = "") -> tuple[str, str, str]:
    """Columns of a translation, which the Hub sorts alphabetically, and its source and target."""
    first, second = sorted((src, tgt))
    return (
        f"{front}translation.{first} translation.{second}",
        f"translation.{src}",
        f"translation.{tgt}",
    )


def _pair(columns: str, src: str, tgt: str) -> tuple[str, str, str]:
    return columns, src, tgt


_ROWS = (
    # Small ones with simple columns come first.
    GalleryRow(
        "Helsinki-NLP/opus_books",
        "de-en",
        "Public-domain books, sentence by sentence, in 62 language pairs.",
        *_two("de", "en", "id "),
        "51,000",
        "5 MB",
        UNKNOWN,
    ),
    GalleryRow(
        "Helsinki-NLP/opus-100",
        "de-en",
        "Many domains, between English and 99 other languages.",
        *_two("de", "en"),
        "1,000,000",
        "67 MB",
        UNKNOWN,
    ),
    GalleryRow(
        "knkarthick/dialogsum",
        "default",
        "Everyday dialogues and their summaries.",
        *_pair("id dialogue summary topic", "dialogue", "summary"),
        "12,500",
        "13 MB",
        "cc-by-nc-sa-4.0",
    ),
    GalleryRow(
        "tuetschek/e2e_nlg",
        "default",
        "Facts about restaurants and sentences that state them.",
        *_pair(
            "meaning_representation human_reference", "meaning_representation", "human_reference"
        ),
        "42,000",
        "12 MB",
        "cc-by-sa-4.0",
    ),
    GalleryRow(
        "allenai/common_gen",
        "default",
        "A few words and an everyday sentence with all of them.",
        *_pair("concepts[] target", "concepts", "target"),
        "67,000",
        "2 MB",
        UNSAID,
    ),
    GalleryRow(
        "google/code_x_glue_cc_code_to_code_trans",
        "default",
        "The same functions in Java and in C#.",
        *_pair("java cs", "java", "cs"),
        "10,300",
        "5 MB",
        "C-UDA",
    ),
    # Translation.
    GalleryRow(
        "bentrevett/multi30k",
        "default",
        "Image captions in English, translated into German.",
        *_pair("en de", "en", "de"),
        "29,000",
        "small",
        UNCHECKED,
    ),
    GalleryRow(
        "Helsinki-NLP/tatoeba",
        "en-mr",
        "Short sentences for learners.",
        *_two("en", "mr", "id "),
        "53,000",
        "1.4 MB",
        "cc-by-2.0",
        warning=SCRIPTED,
    ),
    GalleryRow(
        "Helsinki-NLP/kde4",
        "en-fr",
        "User interface texts of a desktop environment.",
        *_two("en", "fr", "id "),
        "210,000",
        "7 MB",
        UNKNOWN,
        warning=SCRIPTED,
    ),
    GalleryRow(
        "Helsinki-NLP/europarl",
        "de-en",
        "Speeches in the European Parliament, in 210 language pairs.",
        *_two("de", "en"),
        "1,960,000",
        "291 MB",
        UNKNOWN,
    ),
    GalleryRow(
        "Helsinki-NLP/opus_euconst",
        "de-en",
        "The proposed European constitution, in 210 language pairs.",
        *_two("de", "en"),
        "8,800",
        "0.5 MB",
        UNKNOWN,
    ),
    GalleryRow(
        "Helsinki-NLP/un_pc",
        "en-fr",
        "Documents of the United Nations.",
        *_two("en", "fr"),
        "30,000,000",
        "2.7 GB",
        UNKNOWN,
        warning=LARGE,
    ),
    GalleryRow(
        "Helsinki-NLP/bible_para",
        "de-en",
        "The Bible, verse by verse.",
        *_two("de", "en", "id "),
        "62,000",
        "5 MB",
        "cc0-1.0",
    ),
    GalleryRow(
        "wmt/wmt14",
        "de-en",
        "News and parliament: the dataset of the original transformer paper.",
        *_two("de", "en"),
        "4,500,000",
        "1.7 GB",
        UNSAID,
        warning=LARGE,
    ),
    GalleryRow(
        "wmt/wmt16",
        "de-en",
        "News and parliament, two years later.",
        *_two("de", "en"),
        "4,500,000",
        "1.7 GB",
        UNSAID,
        warning=LARGE,
    ),
    GalleryRow(
        "wmt/wmt19",
        "de-en",
        "News, parliament and web pages.",
        *_two("de", "en"),
        "38,700,000",
        "10.4 GB",
        UNSAID,
        warning=LARGE,
    ),
    GalleryRow(
        "IWSLT/iwslt2017",
        "iwslt2017-de-en",
        "Subtitles of talks.",
        *_two("de", "en"),
        "206,000",
        "17 MB",
        "cc-by-nc-nd-4.0",
        warning=SCRIPTED,
    ),
    # Summaries and headlines.
    GalleryRow(
        "abisee/cnn_dailymail",
        "3.0.0",
        "News and their highlights.",
        *_pair("article highlights id", "article", "highlights"),
        "287,000",
        "585 MB",
        "apache-2.0",
    ),
    GalleryRow(
        "EdinburghNLP/xsum",
        "default",
        "News, each in one sentence.",
        *_pair("document summary id", "document", "summary"),
        "204,000",
        "257 MB",
        UNSAID,
        warning=SCRIPTED,
    ),
    GalleryRow(
        "knkarthick/samsum",
        "default",
        "Chats and their summaries.",
        *_pair("id dialogue summary", "dialogue", "summary"),
        "14,700",
        "3 MB",
        "cc-by-nc-nd-4.0",
    ),
    GalleryRow(
        "Harvard/gigaword",
        "default",
        "First sentences of news and their headlines.",
        *_pair("document summary", "document", "summary"),
        "3,800,000",
        "578 MB",
        "mit",
        warning=SCRIPTED,
    ),
    GalleryRow(
        "alexfabbri/multi_news",
        "default",
        "Several reports of the same event and one summary.",
        *_pair("document summary", "document", "summary"),
        "45,000",
        "257 MB",
        "non-commercial",
        warning=SCRIPTED,
    ),
    GalleryRow(
        "FiscalNote/billsum",
        "default",
        "Laws proposed in the United States and their summaries.",
        *_pair("text summary title", "text", "summary"),
        "18,900",
        "67 MB",
        "unknown or cc0",
    ),
    GalleryRow(
        "Yale-LILY/aeslc",
        "default",
        "Business emails and their subject lines.",
        *_pair("email_body subject_line", "email_body", "subject_line"),
        "14,400",
        "12 MB",
        UNSAID,
    ),
    GalleryRow(
        "armanc/scientific_papers",
        "arxiv",
        "Papers and their abstracts.",
        *_pair("article abstract section_names", "article", "abstract"),
        "203,000",
        "4.5 GB",
        UNSAID,
        warning=f"{SCRIPTED} {LARGE}",
    ),
    # Paraphrases, simplifications and corrections.
    GalleryRow(
        "facebook/asset",
        "simplification",
        "Sentences and ten simpler ones for each.",
        *_pair("original simplifications[]", "original", "simplifications"),
        "2,000",
        "3.6 MB",
        "cc-by-sa-4.0",
        split="valid",
    ),
    GalleryRow(
        "google-research-datasets/wiki_split",
        "default",
        "Long sentences split in two.",
        *_pair(
            "complex_sentence simple_sentence_1 simple_sentence_2",
            "complex_sentence",
            "simple_sentence_1",
        ),
        "990,000",
        "100 MB",
        UNSAID,
    ),
    GalleryRow(
        "jhu-clsp/jfleg",
        "default",
        "Learners' sentences and four corrections of each.",
        *_pair("sentence corrections[]", "sentence", "corrections"),
        "755",
        "0.7 MB",
        "cc-by-nc-sa-4.0",
        split="valid",
    ),
    GalleryRow(
        "grammarly/coedit",
        "default",
        "An editing instruction with a sentence, and the edited sentence.",
        *_pair("_id task src tgt", "src", "tgt"),
        "69,000",
        "small",
        UNCHECKED,
    ),
    GalleryRow(
        "google-research-datasets/paws",
        "labeled_final",
        "Sentences of the same words, with the same meaning or not (label 1 or 0).",
        *_pair("sentence1 sentence2", "sentence1", "sentence2"),
        "49,000",
        "5 MB",
        "other",
    ),
    # Formal languages, code, questions, plain text.
    GalleryRow(
        "google-research-datasets/cfq",
        "mcd1",
        "Questions and the database queries that answer them.",
        *_pair("question query", "question", "query"),
        "96,000",
        "268 MB",
        UNSAID,
    ),
    GalleryRow(
        "xlangai/spider",
        "spider",
        "Questions about many databases, in SQL.",
        *_pair(
            "db_id query question query_toks[] query_toks_no_value[] question_toks[]",
            "question",
            "query",
        ),
        "7,000",
        "100 MB",
        "cc-by-4.0, later cc-by-sa",
    ),
    GalleryRow(
        "google/code_x_glue_ct_code_to_text",
        "go",
        "Functions in six programming languages and their docstrings.",
        *_pair(
            "repo path func_name original_string language code code_tokens[] docstring docstring_tokens[] sha url",
            "code",
            "docstring",
        ),
        "167,000",
        "500 MB",
        "C-UDA",
    ),
    GalleryRow(
        "rajpurkar/squad",
        "plain_text",
        "Passages of an encyclopedia and questions about them.",
        *_pair("id title context question", "context", "question"),
        "88,000",
        "35 MB",
        "cc-by-4.0",
    ),
    GalleryRow(
        "Salesforce/wikitext",
        "wikitext-103-v1",
        "Good articles of an encyclopedia, as plain text.",
        *_pair("text", "text", "text"),
        "1,800,000",
        "190 MB",
        "cc-by-sa",
    ),
)

GALLERY: Mapping[str, GalleryRow] = MappingProxyType({row.id: row for row in _ROWS})
