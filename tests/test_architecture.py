"""Who may import whom: the arrows of the design, as code."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LEAVES = {"config", "files", "settings", "versions", "words"}
ENGINE = {
    "analysis",
    "config",
    "data",
    "decode",
    "faults",
    "files",
    "hub",
    "jobs",
    "library",
    "links",
    "model",
    "pretrained",
    "processes",
    "runs",
    "scores",
    "settings",
    "sizing",
    "tokenizers",
    "training",
    "versions",
    "words",
}
# What may stand beside the rooms.
LOOSE = {"__init__", "__main__", "settings", "versions"}
# In their order: each imports only rooms before it, and of those the named ones.
MAY = {
    "versions": set(),
    "config": set(),
    "settings": {"config"},
    "words": {"config"},
    "files": {"config", "settings"},
    "links": LEAVES,
    "processes": LEAVES,
    "scores": LEAVES,
    "hub": LEAVES,
    "tokenizers": LEAVES,
    "sizing": LEAVES,
    "model": LEAVES,
    "faults": LEAVES | {"model"},
    "decode": LEAVES | {"scores"},
    "data": LEAVES | {"hub", "tokenizers", "processes"},
    "pretrained": LEAVES | {"model", "tokenizers", "hub"},
    "training": LEAVES | {"data", "tokenizers", "model", "sizing", "decode", "scores", "processes"},
    "analysis": LEAVES | {"model", "decode", "tokenizers", "scores"},
    "runs": LEAVES
    | {"data", "model", "faults", "tokenizers", "decode", "analysis", "scores", "processes"},
    "library": LEAVES | {"links", "processes", "data", "runs"},
    "jobs": ENGINE,
    "demo": ENGINE,
    "lessons": ENGINE,
    "hosted": ENGINE | {"lessons"},
    "questions": ENGINE | {"demo", "lessons"},
    "plots": ENGINE | {"demo", "lessons", "questions"},
    "reports": ENGINE | {"plots", "questions", "lessons"},
    "api": ENGINE | {"questions", "plots", "reports"},
    "ui": ENGINE | {"plots", "questions", "reports", "lessons", "demo", "hosted"},
    "cli": ENGINE | {"hosted", "reports", "questions", "plots", "api"},
    "__init__": ENGINE | {"api"},
    "__main__": {"cli", "versions"},
}
NO_TORCH = {
    "config",
    "data",
    "files",
    "hub",
    "library",
    "links",
    "plots",
    "processes",
    "scores",
    "settings",
    "sizing",
    "tokenizers",
    "words",
}
# Arrows up, each with its reason.
UP = {("questions", "plots"): "a row of VIEWS names who draws the answer"}
NOT_HERE = {"streamlit": set(MAY) - {"ui"}, "torch": NO_TORCH}


@cache
def parsed(path: Path) -> ast.Module:
    """A file's tree; each file is parsed once."""
    return ast.parse(path.read_text())


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Every statement below a node, whatever it stands in; an expression holds none, and most nodes are of one."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            yield child
            yield from statements(child)


def imports(path: Path) -> list[str]:
    """Every module a file names in an import, wherever in the file it stands."""
    found = []
    for node in statements(parsed(path)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found += (
                [f"{node.module}.{alias.name}" for alias in node.names]
                if node.module == "s2s"
                else [str(node.module)]
            )
    return found


def part(path: Path) -> str:
    """`s2s/model/size.py` -> `model`."""
    return path.relative_to(ROOT / "s2s").parts[0].removesuffix(".py")


def test_arrows_point_one_way() -> None:
    rooms = list(MAY)
    wrong = [
        f"{room} may import {other}, which comes after it"
        for number, room in enumerate(rooms)
        for other in MAY[room] - {room}
        if other not in rooms[:number]
    ]
    folder = ROOT / "s2s"
    loose = {path.stem for path in folder.glob("*.py")}
    wrong += [f"{name} is in no room" for name in loose - LOOSE]
    for path in sorted((ROOT / "s2s").rglob("*.py")):
        own = part(path)
        for name in imports(path):
            package, _, rest = name.partition(".")
            other = rest.split(".")[0]
            is_arrow = package == "s2s" and rest and other != own and (own, other) not in UP
            if is_arrow and other not in MAY[own]:
                wrong.append(f"{path}: {own} may not import {other}")
            if own in NOT_HERE.get(package, set()):
                wrong.append(f"{path}: {own} may not import {package}")
    assert not wrong


def test_importing_s2s_and_asking_for_help_costs_no_torch() -> None:
    light = (
        "s2s.config",
        "s2s.versions",
        *(f"s2s.cli.{path.stem}" for path in (ROOT / "s2s" / "cli").glob("*.py")),
    )
    for path in (ROOT / "s2s" / "__init__.py", *(ROOT / "s2s" / "cli").glob("*.py")):
        top = ast.Module(
            [node for node in parsed(path).body if isinstance(node, (ast.Import, ast.ImportFrom))],
            [],
        )
        names = {node.module for node in ast.walk(top) if isinstance(node, ast.ImportFrom)}
        assert not {
            name for name in names if name and name.startswith("s2s.") and name not in light
        }


@pytest.mark.parametrize("folder", ["s2s", "pages"])
def test_files_and_functions_stay_readable(folder: str) -> None:
    for path in sorted((ROOT / folder).rglob("*.py")):
        text = path.read_text()
        assert text.count("\n") <= (80 if folder == "pages" else 400), f"{path} is too long"
        for node in statements(parsed(path)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                doc = ast.get_docstring(node, clean=False)
                lines = (
                    (node.end_lineno or 0) - node.lineno + 1 - (doc.count("\n") + 1 if doc else 0)
                )
                assert lines <= 60, f"{path}:{node.lineno} {node.name} is too long"


# Files that still import each other; a group leaves this set when it is untangled, and none may join.
CIRCLES_LEFT: set[frozenset[str]] = set()
# How many imports still pass by a folder's face: by folder, and they may only become fewer.
INSIDES_LEFT: Counter[str] = Counter()
# The same for one room of `ui` that imports another one.
ROOMS_LEFT: Counter[str] = Counter()
# what every room may import, and what of it these import themselves
SHARED_ROOMS = {
    "shell": {"kit", "canvas", "streamlit_parts"},
    "kit": {"canvas", "streamlit_parts"},
    "canvas": set(),
    "streamlit_parts": set(),
}


@cache
def modules() -> dict[str, Path]:
    """`s2s.data.pair` -> its file; a folder's `__init__` goes by the folder's name."""
    paths = sorted((ROOT / "s2s").rglob("*.py"))
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in paths
    }


def executed(node: ast.AST) -> Iterator[ast.AST]:
    """Every statement that Python runs, function bodies included: all but what stands under `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in vars(child.test).values():
            continue
        yield child
        yield from executed(child)


def imported(tree: ast.AST, known: set[str]) -> Iterator[str]:
    """The modules of s2s that a file imports; `from s2s.data import pair` imports `s2s.data.pair` where that is a
    module.
    """
    for node in executed(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name in known else node.module for name in names)


@cache
def graph() -> dict[str, set[str]]:
    """Each module of s2s with those that it imports."""
    paths = modules()
    return {name: set(imported(parsed(path), set(paths))) - {name} for name, path in paths.items()}


def reachable(arrows: dict[str, set[str]], start: str) -> set[str]:
    """What one comes to from a module, itself only by a circle."""
    found: set[str] = set()
    waiting = list(arrows[start])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += arrows[name]
    return found


def circles(arrows: dict[str, set[str]]) -> set[frozenset[str]]:
    """The groups of modules that can all be reached from each other."""
    reach = {name: reachable(arrows, name) for name in arrows}
    return {
        frozenset(other for other in reach[name] if name in reach[other])
        for name in arrows
        if name in reach[name]
    }


def test_circles_are_found() -> None:
    arrows = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a", "d"}}
    assert circles(arrows) == {frozenset("bc"), frozenset("d")}
    tree = ast.parse("if TYPE_CHECKING:\n    import b\ndef f():\n    from a import c, d\n")
    assert list(imported(tree, {"a", "a.c", "b"})) == ["a.c", "a"]


def test_no_two_files_import_each_other() -> None:
    found = circles(graph())
    assert not found - CIRCLES_LEFT, f"a circle: {sorted(map(sorted, found - CIRCLES_LEFT))}"


def face(folder: str) -> set[str]:
    """The names of a folder's `__init__`: imported, defined, or written in a table of lazy imports."""
    found: set[str] = set()
    for node in ast.walk(parsed(modules()[f"s2s.{folder}"])):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found


def test_a_folder_is_imported_by_its_face() -> None:
    known = modules()
    folders = {path.parent.name for path in (ROOT / "s2s").glob("*/__init__.py")} - {"ui"}
    faces = {folder: face(folder) for folder in folders}
    passed_by: dict[str, list[str]] = {}
    for name, others in graph().items():
        for other in others:
            _, folder, *inside = [*other.split("."), ""]
            is_foreign = folder in folders and inside[0] and part(known[name]) != folder
            if is_foreign and (len(inside) > 2 or inside[0] not in faces[folder]):
                passed_by.setdefault(folder, []).append(f"{name} imports {other}")
    for folder, found in passed_by.items():
        assert len(found) <= INSIDES_LEFT[folder], "\n".join(sorted(found))


def test_a_room_imports_no_other_room() -> None:
    found: dict[str, list[str]] = {}
    for name, others in graph().items():
        for other in others:
            if name.startswith("s2s.ui.") and other.startswith("s2s.ui."):
                room, other_room = name.split(".")[2], other.split(".")[2]
                if other_room != room and other_room not in SHARED_ROOMS.get(room, SHARED_ROOMS):
                    found.setdefault(room, []).append(f"{name} imports {other}")
    for room, arrows in found.items():
        assert len(arrows) <= ROOMS_LEFT[room], "\n".join(sorted(arrows))


def test_no_class_name_stands_more_than_three_times() -> None:
    places: dict[str, list[str]] = {}
    for module, path in modules().items():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(module)
    assert not {name: found for name, found in places.items() if len(found) > 3}
