"""docs/notebook.ipynb runs from the first cell to the last, and shows what it promises."""

import ast
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

pytestmark = pytest.mark.system

STEPS = '"train.steps": 100,'
FEWER_STEPS = '"train.steps": 50, "train.warmup_steps": 10, "model.dropout": 0.0,'
NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebook.ipynb"


def shown(code: str, names: dict[str, Any]) -> Any:
    """Runs a cell; the value of its last line, as a notebook shows it."""
    *statements, last = ast.parse(code).body
    exec(compile(ast.Module(statements, []), str(NOTEBOOK), "exec"), names)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)
    exec(compile(ast.Module([last], []), str(NOTEBOOK), "exec"), names)
    return None


def test_the_notebook_runs() -> None:
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    names: dict[str, Any] = {}
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    (training,) = (number for number, code in enumerate(codes) if STEPS in code)
    codes[training] = codes[training].replace(STEPS, FEWER_STEPS)  # and the toy is learned by then
    assert not any(cell.get("outputs") for cell in cells), "save the notebook without its outputs"
    found = [shown(code, names) for code in codes]
    tables = [value for value in found if isinstance(value, pd.DataFrame)]
    assert len(tables) == 4
    _, scores, _, attention = tables
    assert scores.loc["chrf", "value"] > 80  # a toy that is learned in seconds
    assert list(attention.columns)[-1] == "</s>"
    assert attention.sum(axis=1).between(0.95, 1.05).all()
