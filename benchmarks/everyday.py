"""Quality of demo-en-de on the 1,000 sentences it was not trained on: BLEU and chrF with all references of each."""

from __future__ import annotations

from typing import Any

import s2s
from benchmarks.report import last_line, options, table
from s2s.data import load
from s2s.demo import DEMOS, EVERYDAY
from s2s.scores import statistics

STRATEGIES = {"beam": {"num_beams": 5}, "greedy": {}}


def main() -> None:
    """Both strategies, with the 95 % interval of each score."""
    arguments = options(__doc__).parse_args()
    run = s2s.load(EVERYDAY)
    pairs = load(DEMOS[EVERYDAY]).pairs
    references = [(pair.tgt, *pair.more) for pair in pairs]
    results: dict[str, Any] = {"parameters": run.n_parameters, "sentences": len(pairs)}
    for name, settings in STRATEGIES.items():
        found = run.translate([pair.src for pair in pairs], name, **settings)
        scored = statistics([one.text for one in found], references).intervals()
        results[name] = {
            key: {"value": scored[key].value, "low": scored[key].low, "high": scored[key].high}
            for key in ("bleu", "chrf", "exact_match")
        }
    table(
        [
            {"strategy": name, **{k: v["value"] for k, v in results[name].items()}}
            for name in STRATEGIES
        ]
    )
    last_line("everyday", results, arguments)


if __name__ == "__main__":
    main()
