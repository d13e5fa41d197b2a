"""What an evaluation was made with, on the screen: checkpoint and settings of each system, and how to repeat it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from s2s.config import flat
from s2s.decode import STRATEGIES
from s2s.runs import Evaluation, System
from s2s.scores import Scoring
from s2s.ui.kit import cached, plain, reproduce, shortened

Provenance = Mapping[str, Any]  # provenance.json; empty for evaluations of earlier versions
# Settings that are stated even at their defaults, where a strategy has them.
MAIN_SETTINGS = (
    "num_beams",
    "length_penalty",
    "num_samples",
    "utility",
    "temperature",
    "top_k",
    "top_p",
    "epsilon_cutoff",
    "penalty_alpha",
    "num_beam_groups",
    "diversity_penalty",
)
UPLOADED = "uploaded file"


def columns(evaluation: Evaluation, found: Provenance) -> dict[str, list[str]]:
    """Run, checkpoint and settings of each system, for the table of scores."""
    made = systems(evaluation, found)
    return {
        "Run": [cached.title(one.run) if one.run else UPLOADED for one in evaluation.systems],
        "Checkpoint": [checkpoint(one) for one in evaluation.systems],
        "Settings": [
            settings_text(one, own) for one, own in zip(evaluation.systems, made, strict=True)
        ],
    }


def systems(evaluation: Evaluation, found: Provenance) -> Sequence[Mapping[str, Any]]:
    """What is known of each system; nothing for evaluations of earlier versions."""
    return list(found.get("systems") or [{} for _ in evaluation.systems])


def checkpoint(system: System) -> str:
    """`step 1,500 (best)`; the file's name for another system."""
    if not system.run:
        return system.uploaded
    asked = f" ({system.checkpoint})" if system.checkpoint else ""
    name = cached.step_name(system.run, system.step)
    if system.step:
        return f"{name}{asked}"
    return "best" if name == "step 0" else name  # an evaluation that has not begun says no step


def settings_text(system: System, own: Mapping[str, Any]) -> str:
    """`num_beams=5, length_penalty=1.0`: what took effect, the main settings and those that differ from defaults.

    Before the model is loaded, and in evaluations of earlier versions: what was given.
    """
    effective = own.get("settings")
    if effective is None:
        return ", ".join(f"{key}={value}" for key, value in system.settings.items())
    defaults = flat(STRATEGIES[system.strategy].config())
    draws = "temperature" in effective
    shown = [
        key
        for key, value in effective.items()
        if key in MAIN_SETTINGS
        or (key == "seed" and draws)
        or (key != "max_new_tokens" and value != defaults.get(key))
        or key in system.settings
    ]
    order = [key for key in MAIN_SETTINGS if key in shown]
    order += [key for key in shown if key not in order]
    return ", ".join(f"{key}={effective[key]}" for key in order)


def sentence(evaluation: Evaluation) -> str:
    """Markdown: the run and checkpoint of the systems, where all have the same; else empty, as the table says it."""
    made = {(one.run, checkpoint(one)) for one in evaluation.systems if one.run}
    if len(made) != 1:
        return ""
    ((run, step),) = made
    return f"{plain(cached.title(run))}, {plain(step)}."


def panel(found: Provenance) -> None:
    """Data, versions, and the command of each system."""
    if "test" not in found:  # of an earlier version
        return
    with st.expander("How to repeat it", icon=":material/terminal:"):
        test = found["test"]
        st.caption(
            "Each command repeats the scores of one system; of an uploaded file BLEU, chrF and TER, with sacrebleu"
            " alone. Run it where the files of the bundle (zip) below are."
        )
        st.code(
            "\n".join(str(own["command"]) for own in found["systems"]),
            language=None,
            wrap_lines=True,
        )
        if code := python(found):
            st.caption("The same in Python:")
            st.code(code, language="python", wrap_lines=True)
        st.caption(" · ".join(map(plain, _facts(found, test))))


def python(found: Provenance) -> str:
    """The scores of each system with their intervals, by `Run.evaluate`; empty where it cannot repeat them: with
    several references, none, a source that comes twice, or other languages.
    """
    own = [one for one in found["systems"] if "run" in one]
    command = " ".join(str(one["command"]) for one in own)
    test = found["test"]
    counted = _scoring_given(Scoring.of(found["scoring"]))
    if (
        not own
        or test["is_grouped"]
        or (test.get("n_sources") or test["n"]) != test["n"]
        or "test.ref2" in command
        or "test.ref" not in command
        or "-lang " in command
    ):
        return ""
    lines = [
        "from pathlib import Path",
        "",
        "import s2s",
        "",
        *(
            f'{side} = Path("test.{side}").read_bytes().decode().split("\\n")[:-1]'
            for side in ("src", "ref")
        ),
        "pairs = list(zip(src, ref, strict=True))",
        "scores = {}",
    ]
    for one in own:
        given = "".join(f", {name}={value!r}" for name, value in one["settings"].items())
        load = f"s2s.load({reproduce.quoted(one['run'])}, {one['step']})"
        call = f"{load}.evaluate(pairs, {reproduce.quoted(one['strategy'])}{counted}{given})"
        lines.append(f"scores[{reproduce.quoted(one['name'])}] = {call}")
    return "\n".join([*lines, "print(scores)"])


def _scoring_given(scoring: Scoring) -> str:
    """The arguments of `Run.evaluate` that differ from its defaults."""
    names = {"tokenize": "bleu_tokenize"}
    usual = asdict(Scoring())
    return "".join(
        f", {names.get(key, key)}={value!r}"
        for key, value in asdict(scoring).items()
        if value != usual[key]
    )


def _facts(found: Provenance, test: Mapping[str, Any]) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    resampling = found["resampling"]
    return [
        f"data hash {test['hash']}",
        *(f"file {name}" for name in test["files"]),
        f"subset: {test['subset']}",
        f"{resampling['samples']:,} resamples with seed {resampling['seed']}",
        versions,
        *(_of_file(one) for one in found.get("external", ())),
    ]


def _of_file(one: Mapping[str, Any]) -> str:
    """`COMET of greedy: 200 scores of comet.txt, hash 0123456789abcdef`."""
    column = f", column {one['column']}" if one["column"] else ""
    name = shortened(one["name"], 60)
    return f"{one['metric']} of {name}: {one['n']:,} scores of {one['file']}{column}, hash {one['hash']}"
