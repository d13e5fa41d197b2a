"""The files of a run.

recipe.json         the request: recipe, source, data hash, versions, owner
status.json         progress
metrics.jsonl       one line per step or validation
samples.jsonl       translations of the probe sentences
tokenizer.json      shared, or src.tokenizer.json and tgt.tokenizer.json
words.txt           the words of the training sources, in some runs: see source_words.py
checkpoints/        step-00000200.safetensors and its .state
attention/          attention of a fixed pair at each checkpoint
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from filelock import FileLock
from safetensors import SafetensorError, safe_open

from s2s import files, settings, tokenizers
from s2s.config import Recipe, UserError, override
from s2s.files import stored
from s2s.model import saved_steps, weights_path
from s2s.tokenizers import Tokenizer

FORMAT = 1
UNCLEANED = MappingProxyType({"data.clean.empty": False, "data.clean.overlap": False})
# A dataset that ships got other pairs since: its SPEC, the hash of the former pairs, and the SPEC that has them.
FORMER_PAIRS = MappingProxyType(
    {
        (
            "builtin:first-steps",
            "d5395969a97020235d42b7ae307e054d9a34ec80e9f226c1a0ab6a60dd74a353",
        ): "builtin:first-steps-vamos",
    }
)
STATES = ("running", "done", "stopped", "failed")
FILES = (
    "status.json",
    "metrics.jsonl",
    "samples.jsonl",
    "tokenizer.json",
    "src.tokenizer.json",
    "tgt.tokenizer.json",
    "words.txt",
)


def _own_source(about: Mapping[str, Any]) -> dict[str, str]:
    data = about.get("data")
    known = data.get("train_hash") if isinstance(data, dict) else None
    source = FORMER_PAIRS.get((str(about.get("source")), str(known)))
    return {"source": source} if source else {}


def runs_folder() -> Path:
    return settings.home() / "runs"


class RunFolder:
    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __repr__(self) -> str:
        return f"RunFolder({str(self.path)!r})"

    @property
    def id(self) -> str:
        """The folder's name."""
        return self.path.resolve().name

    @property
    def checkpoints(self) -> Path:
        return self.path / "checkpoints"

    @property
    def lock_file(self) -> Path:
        """The file that the training process locks."""
        return self.path / ".lock"

    def foreign_file(self) -> str:
        """The name of a file that a run would replace, in a folder that holds no run; empty where there is none."""
        names = [name for name in ("recipe.json", *FILES) if (self.path / name).exists()]
        if not names:
            return ""
        try:
            self.about()
        except UserError:
            return names[0]
        return ""

    def create(
        self, recipe: Recipe, about: Mapping[str, Any], tokenizers: tuple[Tokenizer, Tokenizer]
    ) -> None:
        """Write the request. `about` holds source, data, versions, name and owner."""
        for name in FILES:  # left by a run that never reached its first checkpoint
            (self.path / name).unlink(missing_ok=True)
        src, tgt = tokenizers
        if src is tgt:
            src.save(self.path / "tokenizer.json")
        else:
            src.save(self.path / "src.tokenizer.json")
            tgt.save(self.path / "tgt.tokenizer.json")
        self.write_about(
            {"format": FORMAT, "created": stored.now(), **about, "recipe": recipe.to_json()}
        )

    def write_about(self, content: Mapping[str, Any]) -> None:
        """Replace recipe.json."""
        files.write_json(self.path / "recipe.json", content)

    def amend(self, change: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
        """Update recipe.json with `change` of its content; a lock keeps two processes apart."""
        with FileLock(self.path / ".about.lock"):
            about = self.about()
            self.write_about({**about, **change(about)})

    def about(self) -> dict[str, Any]:
        """The content of recipe.json. Raises UserError if it is missing, broken or newer than this program."""
        path = self.path / "recipe.json"
        try:
            content: dict[str, Any] = json.loads(path.read_bytes())
            form = int(content["format"])
        except files.UNREADABLE as error:
            raise UserError(
                f"`{self.id}` is not a run: its recipe.json cannot be read; open another run, or train a new one."
            ) from error
        if form > FORMAT:
            raise UserError(
                f"The run `{self.id}` has format {form}, newer than the {FORMAT} known here; update this program."
            )
        if not isinstance(content.get("recipe"), dict):
            raise UserError(
                f"`{self.id}` is not a run: its recipe.json holds no recipe; open another run, or train a new one."
            )
        return content | _own_source(content)

    def recipe(self) -> Recipe:
        """The recipe. A recipe from before datasets were cleaned is read as uncleaned."""
        content = self.about()["recipe"]
        recipe = Recipe.from_json(content)
        return recipe if "clean" in content.get("data", {}) else override(recipe, UNCLEANED)

    def notes(self) -> tuple[str, ...]:
        """Notes and warnings on the run's data and its training, then why it ended early."""
        about = self.about()
        data = about.get("data")
        ended = [said] if (said := self.status().get("ended")) else None
        lists = (
            data.get("notes") if isinstance(data, dict) else None,
            about.get("warnings"),
            ended,
        )
        return tuple(str(each) for found in lists if isinstance(found, list) for each in found)

    def starting_settings(self) -> dict[str, Any]:
        """The settings of decoding that a published model came with; none for a run that was trained here."""
        found = self.about().get("starting_settings")
        return found if isinstance(found, dict) else {}

    def tokenizers(self) -> tuple[Tokenizer, Tokenizer]:
        """Source and target tokenizer, the same object if shared."""
        if (self.path / "tokenizer.json").exists():
            both = tokenizers.load(self.path / "tokenizer.json")
            return both, both
        return tokenizers.load(self.path / "src.tokenizer.json"), tokenizers.load(
            self.path / "tgt.tokenizer.json"
        )

    def status(self) -> dict[str, Any]:
        """The progress: `state` (one of STATES), `step`, `steps`, the best scores, `updated`; empty before training."""
        path = self.path / "status.json"
        try:
            return dict(json.loads(path.read_bytes())) if path.exists() else {}
        except files.UNREADABLE as error:
            raise UserError(
                f"The status.json of the run `{self.id}` cannot be read; resume the run to write a new one."
            ) from error

    def set_status(self, state: str, **details: Any) -> None:
        files.write_json(
            self.path / "status.json",
            {"format": FORMAT, "state": state, "updated": stored.now(), **details},
        )

    def log(self, name: str, line: Mapping[str, Any]) -> None:
        """Append to metrics.jsonl or samples.jsonl."""
        files.append_line(self.path / f"{name}.jsonl", line)

    def lines(self, name: str) -> list[dict[str, Any]]:
        """All complete lines of metrics.jsonl or samples.jsonl; broken ones are left out."""
        return files.read_lines(self.path / f"{name}.jsonl")

    def truncate_logs(self, step: int) -> None:
        """Delete what was logged after `step`, so that no step is logged twice when training resumes there."""
        for name in ("metrics", "samples"):
            known = (line for line in self.lines(name) if isinstance(line.get("step"), int))
            kept = [
                json.dumps(line, ensure_ascii=False) + "\n"
                for line in known
                if line["step"] <= step
            ]
            files.write_bytes(self.path / f"{name}.jsonl", "".join(kept).encode())

    def n_parameters(self) -> int | None:
        """The number of parameters of its model; None before its first checkpoint."""
        steps = saved_steps(self.checkpoints)
        try:
            with safe_open(weights_path(self.checkpoints, steps[0]), "numpy") as file:
                names = file.keys()
                return sum(int(math.prod(file.get_slice(name).get_shape())) for name in names)
        except (IndexError, OSError, SafetensorError):  # broken, or pruned meanwhile
            return None

    def best_or_newest_step(self) -> int:
        """The checkpoint that is opened by default."""
        return self.steps_by_choice()[0]

    def steps_by_choice(self) -> list[int]:
        """All checkpoints in order of preference: lowest validation loss first, then newest first."""
        steps = saved_steps(self.checkpoints)
        if not steps:
            raise UserError(
                f"The run `{self.id}` has no checkpoint yet; wait for the first, or lower train.watch.save_every."
            )
        best = self.status().get("best_step")
        return sorted(steps, key=lambda step: (step != best, -step))
