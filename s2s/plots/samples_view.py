"""The pictures of `Samples`: how similar each is to each, and the texts."""

from __future__ import annotations

from s2s.plots.picture import Picture
from s2s.plots.utility import CAPTION, utility
from s2s.questions import ComparedSamples, Samples, samples


def pictures(question: Samples, answer: ComparedSamples, model: str) -> list[Picture]:
    title = f"{model}\n{answer.metric} of {answer.n} samples ({samples.NAME})"
    means = [each.expected for each in answer.samples]
    times = [each.times for each in answer.samples]
    return [
        Picture(
            "samples",
            title,
            utility(answer.pairs, means, times, title=title, measure=answer.metric),
            f"Heatmap of {title.replace(chr(10), ', ')}; {answer.means}",
            question.table(answer),
            question.finding(answer),
            CAPTION,
        ),
        Picture(
            "texts of samples",
            f"{model}\nThe samples",
            None,
            f"{len(answer.samples)} distinct samples",
            samples.samples_table(answer),
        ),
    ]
