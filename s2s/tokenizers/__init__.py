"""Text to ids and back, in every way that a recipe may ask for. Knows nothing of models."""

from s2s.tokenizers.bpe import byte_characters
from s2s.tokenizers.comparison import (
    ComparisonRow,
    ExampleTokens,
    SideStatistics,
    TokenizerComparison,
    compare,
    scope,
)
from s2s.tokenizers.pretrained import (
    Languages,
    PretrainedTokenizer,
    first_input,
    generation_settings,
    in_languages,
    is_language_token,
    languages_of,
    offered_languages,
    open_pretrained,
    surrounded,
)
from s2s.tokenizers.registry import TOKENIZERS, fit, load
from s2s.tokenizers.subword import INNER, SubwordTokenizer, automatic_size
from s2s.tokenizers.tokenizer import BOS, EOS, PAD, SPACE, SPECIALS, UNK, Tokenizer, visible
from s2s.tokenizers.word import WordTokenizer, advice
