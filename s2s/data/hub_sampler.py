"""`python -m s2s.data.hub_sampler`: answers an order on standard input with the first rows of Hub files."""

from __future__ import annotations

import json
import sys
from typing import Any

from s2s import hub
from s2s.config import UserError
from s2s.data.hub_datasets import sample
from s2s.processes import bounds


def main() -> None:
    """Answers the order on standard output, as JSON."""
    order = json.loads(sys.stdin.buffer.read())
    with bounds.limited_memory(order["space"]):
        answer = _answer(order)
    json.dump(answer, sys.stdout)


def _answer(order: dict[str, Any]) -> dict[str, Any]:
    files = tuple(hub.File(*file) for file in order["files"])
    splits = {order["config"]: {"train": hub.Split(files)}}
    dataset = hub.Dataset(order["id"], order["sha"], splits)
    try:
        rows = sample(dataset, order["config"], "train", order["token"])
    except UserError as error:
        return {"error": str(error)}
    return {"error": "", "columns": rows.columns, "rows": rows.rows}


if __name__ == "__main__":
    main()
