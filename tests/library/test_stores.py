"""An id becomes something stored in the library alone: every function that reads a store by an id is found, and lives
there, or stands below with its reason.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2] / "s2s"
HOMES = {"home", "runs_folder"}  # functions that return a folder of what is stored
SHIPPED = {"SHIPPED", "SHIPPED_EVALUATIONS"}
FRESH = {"new_id", "token_hex"}  # functions that make an id which nothing has yet
# columns of the database that are no id of a thing: whose it is, and the server's own
OWNERS = {"owner", "workspace", "slot", "name"}
OUTSIDE = {
    "processes.queue.": "the queue's own table, of whose jobs it knows nothing",
    "data.profile.profile_of": "profiles of what ships with the program",
    "data.saved_datasets.keep_upload": "writes: named by its owner and its texts",
    "files.stored.StoredKind.parent": "by kind, no thing",
    "files.stored.require_total": "by kind, no thing",
    "hosted.expiry.is_at_work": "one of a list of all that is stored",
    "hosted.exports.": "of the workspace that exports, by its own name",
    "hosted.rows.": "who has a key or a link to a workspace is its owner",
    "jobs.evaluation.test_sets.read": "a cache, by a hash of what was read",
    "jobs.imports.service._folder": "what an import has before it is a run, for the worker that has it",
    "jobs.imports.service._delete_leftovers": "of imports whose processes were killed",
    "jobs.job_process._taken": "the job that this process has claimed",
    "jobs.stop_reasons._step": "of a job whose process has died, for the sentence that its worker writes",
    "lessons.classes.join_class": "the visitor's own place in a class, which was opened",
    "lessons.classes._mine": "the visitor's own place in a class",
    "lessons.classes.note_answer": "the visitor's own answers",
    "lessons.own._add": "a new id, or one that its owner takes back",
    "lessons.progress.note_step": "the visitor's own",
    "links.short.find": "whoever has the letters may read them; what they show is opened by the library",
    "links.short._stored": "by what it says, of whoever makes it",
    "runs.evaluations.shipped": "ships with the program",
    "runs.measurements.MeasurementFolder.__init__": "named by all that is asked, of a run that was opened",
    "runs.measurements._paths": "named by all that is asked, of a run that was opened",
}

# Modules outside the library that ask who may do what, of what has no id or is open already.
ASK = {
    "hosted.operation": "the server, and all jobs on it",
    "hosted.rows": "a whole workspace",
    "jobs.run_copies": "a run that is open: whether it is one's own",
    "jobs.run_export": "a run that is open: whether it may leave",
    "jobs.run_records": "a run that is open: whether it is one's own",
    "jobs.run_service": "a job that was deleted, to be restored",
    "lessons.answers.own_runs": "rows of a list: which runs are one's own",
    "lessons.own": "a lesson that was deleted, to be restored",
    "plots.evaluation_files": "an evaluation that is open: whether its sentences may leave",
    "questions.have": "an evaluation that is open: what of it may be seen",
    "reports.run_report": "a run that is open: whether it may leave",
    "ui.kit.cached.stored_runs": "rows of a list: which runs are one's own",
    "ui.kit.in_view": "what the page shows: which of it is one's own",
    "ui.operator.controls": "a whole workspace",
    "ui.operator.figures": "all workspaces",
}


def called(node: ast.AST) -> str:
    """The name of a function that is called."""
    function = node.func if isinstance(node, ast.Call) else None
    return getattr(function, "attr", getattr(function, "id", ""))


def is_folder(node: ast.AST, known: set[str]) -> bool:
    """Whether that is a folder of what is stored; `known` are names of variables and functions that are."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return is_folder(node.left, known)
    if isinstance(node, ast.Attribute):
        return node.attr in SHIPPED or (node.attr == "parent" and "stored" in ast.unparse(node))
    if isinstance(node, ast.Name):
        return node.id in known
    return called(node) in HOMES | known


def is_fixed(node: ast.AST) -> bool:
    """Whether a part of a path is none that somebody gives: a constant, or an id that was just made."""
    if isinstance(node, ast.JoinedStr):
        return all(map(is_fixed, node.values))
    if isinstance(node, ast.FormattedValue):
        return is_fixed(node.value)
    name = getattr(node, "attr", getattr(node, "id", ""))
    return isinstance(node, ast.Constant) or name.isupper() or called(node) in FRESH


def reads_by_id(node: ast.AST, known: set[str]) -> bool:
    """Whether an expression turns an id into a folder, a job or a row."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return is_folder(node.left, known) and not is_fixed(node.right)
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("queue.find", "queue.latest"):
        return not is_fixed(node.args[0])
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
        table, _, column = ast.unparse(node.left).partition(".c")
        is_column = table.replace("_", "").replace(".", "").isalpha() and column[:1] in (".", "[")
        is_opened = ast.unparse(node.comparators[0]) == "row.id"
        return is_column and not is_opened and column.strip(".[]'") not in OWNERS
    return False


def functions(tree: ast.AST, name: str) -> Iterator[tuple[str, ast.AST]]:
    """The functions and methods of a module, by their full names."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.ClassDef):
            yield from functions(child, f"{name}.{child.name}")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{name}.{child.name}", child


def readers(text: str, module: str) -> Iterator[str]:
    """The functions of a module that read a store by an id."""
    tree = ast.parse(text)
    found = [*functions(tree, module)]
    known = {"SHIPPED", "SHIPPED_EVALUATIONS"} if "s2s.settings" in text else set[str]()
    for name, function in found:
        returned = [each.value for each in ast.walk(function) if isinstance(each, ast.Return)]
        if any(value is not None and is_folder(value, set()) for value in returned):
            known.add(name.rpartition(".")[2])
    for name, function in found:
        own = set(known)
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and is_folder(node.value, known):
                own |= {each.id for each in node.targets if isinstance(each, ast.Name)}
        if any(reads_by_id(node, own) for node in ast.walk(function)):
            yield name


def test_an_id_becomes_something_stored_in_the_library_alone() -> None:
    found = [
        name
        for path in sorted(ROOT.rglob("*.py"))
        for name in readers(
            path.read_text(), ".".join(path.relative_to(ROOT).with_suffix("").parts)
        )
    ]
    outside = [name for name in found if not name.startswith("library.")]
    assert {"library.opener.Library.run", "library.opener.Library.lesson"} <= {*found}
    unsaid = [name for name in outside if not name.startswith(tuple(OUTSIDE))]
    assert not unsaid, f"{unsaid}: open it by `Library`, or say why not"
    gone = [known for known in OUTSIDE if not any(name.startswith(known) for name in outside)]
    assert not gone, f"{gone} read nothing by an id any more"


def test_nothing_else_asks_who_may_do_what() -> None:
    asking = {f"rights.{name}" for name in ("may", "require", "is_own")}
    found = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in asking
    }
    assert {name for name in found if not name.startswith("library.")} == {*ASK}


def test_each_way_to_read_by_an_id_is_found() -> None:
    text = """
def by_path(run): return settings.home() / "runs" / run
def by_name(run):
    folder = runs_folder()
    return (folder / f"{run}.json").read_text()
def by_function(run): return by_path_of() / run
def by_path_of(): return home() / "x"
def by_queue(id): return queue.latest(id)
def by_row(id): return sa.select(LESSONS).where(LESSONS.c.id == id)
def by_column(id): return sa.delete(T).where(T.c["class"] == id)
def by_module(id): return short.LINKS.c.letters == id
def not_these(owner, row): return runs_folder() / "x", T.c.owner == owner, T.c.id == row.id, home() / new_id()
"""
    names = ("by_path", "by_name", "by_function", "by_queue", "by_row", "by_column", "by_module")
    assert [*readers(text, "m")] == [f"m.{name}" for name in names]
