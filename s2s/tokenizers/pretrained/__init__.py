"""Tokenizers of published checkpoints, as transformers tokenizes, without transformers."""

from s2s.tokenizers.pretrained.languages import is_language_token
from s2s.tokenizers.pretrained.tokenizer import PretrainedTokenizer, open_pretrained
