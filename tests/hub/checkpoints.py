"""A repository of a model, as small as can be: what the tests of the Hub need of one, without a real model in it."""

from __future__ import annotations

import json
from collections.abc import Mapping

CARD = b"""---
license: apache-2.0
language:
- en
- de
tags: [translation]
---
# A model
"""
CONFIG: Mapping[str, object] = {"model_type": "marian", "architectures": ["MarianMTModel"]}
WEIGHTS = bytes(range(256)) * 2000
FILES: Mapping[str, bytes] = {
    "README.md": CARD,
    "config.json": json.dumps(CONFIG).encode(),
    "generation_config.json": b"{}",
    "source.spm": b"source",
    "target.spm": b"target",
    "vocab.json": b"{}",
    "tokenizer_config.json": b"{}",
    "model.safetensors": WEIGHTS,
    "pytorch_model.bin": WEIGHTS * 2,
    "tf_model.h5": b"other",
    "onnx/model.onnx": b"other",
    "setup.py": b"raise SystemExit",
}
NEEDED = (
    "config.json",
    "generation_config.json",
    "model.safetensors",
    "source.spm",
    "target.spm",
    "tokenizer_config.json",
    "vocab.json",
)


def without(*paths: str) -> dict[str, bytes]:
    """The repository without these files."""
    return {path: content for path, content in FILES.items() if path not in paths}
