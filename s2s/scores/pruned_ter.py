"""sacrebleu's TER, to the digit, which does not search for the edits to references that cannot be the closest.

Imports sacrebleu, so import this where it is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sacrebleu.metrics.lib_ter import translation_edit_rate
from sacrebleu.metrics.ter import TER


class PrunedTER(TER):
    """Faster TER: a sentence's edits are those to its closest reference; the search for shifts is most of the time."""

    def _compute_segment_statistics(
        self, hypothesis: str, ref_kwargs: Mapping[str, Sequence[Sequence[str]]]
    ) -> list[float]:
        words = hypothesis.split()
        references = ref_kwargs["ref_words"]
        counts = Counter(words)
        # Shifts leave the words as they are: those of one side that the other lacks are edits.
        fewest = [
            max(len(words), len(each)) - (counts & Counter(each)).total() for each in references
        ]
        order = sorted(range(len(references)), key=fewest.__getitem__)
        best, _ = translation_edit_rate(words, [*references[order[0]]])
        for at in order[1:]:
            if fewest[at] >= best:
                break
            best = min(best, translation_edit_rate(words, [*references[at]])[0])
        return [best, sum(map(len, references)) / len(references)]
