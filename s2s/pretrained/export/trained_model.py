"""What is exported: a config, weights and tokenizers; where they come from is the caller's business."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

from s2s.config import ModelConfig
from s2s.pretrained.export import opened
from s2s.tokenizers import PretrainedTokenizer, Tokenizer

N_POSITIONS = 1024  # at least, of a table of sinusoids, which has no end here
MOST_POSITIONS = 65_536  # of a table: a checkpoint's settings are anybody's


@dataclass(frozen=True)
class TrainedModel:
    """`tensors` as `s2s.model.trained_tensors` gives them; `max_new_tokens`: where a translation ends at the latest."""

    config: ModelConfig
    tensors: Mapping[str, Tensor]
    src_tokenizer: Tokenizer
    tgt_tokenizer: Tokenizer
    max_new_tokens: int

    @property
    def n_positions(self) -> int:
        """How many positions a table needs: those that were trained, or else enough for any translation."""
        usual = N_POSITIONS
        if isinstance(self.src_tokenizer, PretrainedTokenizer):
            said = opened.settings_of(self.src_tokenizer).get("max_position_embeddings")
            usual = said if type(said) is int and said <= MOST_POSITIONS else usual
        return self.config.positions.longest or max(usual, self.max_new_tokens)
