"""Tokenizers of published checkpoints, as transformers tokenizes, without transformers."""

from s2s.tokenizers.pretrained.checkpoint import first_input, generation_settings
from s2s.tokenizers.pretrained.languages import is_language_token
from s2s.tokenizers.pretrained.pair import (
    Languages,
    OfferedLanguages,
    in_languages,
    languages_of,
    offered_languages,
    surrounded,
)
from s2s.tokenizers.pretrained.tokenizer import PretrainedTokenizer, open_pretrained
