"""The field's own English on screens and in public names. `python -m tests.test_words [PATH ...]` lists what is not."""

import ast
import json
import re
import re._parser as re_parser  # type: ignore[import-not-found]
import sys
import tokenize
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from s2s.config import Recipe, settings_of
from s2s.scores import METRIC_NAMES
from s2s.words import GLOSSARY, TOPICS
from s2s.words.glossary import FILES
from tests.forbidden import ALLOWED, FORBIDDEN, FORBIDDEN_NAMES, FORBIDDEN_WHOLE, PLAIN, TECHNICAL
from tests.test_architecture import parsed

ROOT = Path(__file__).parents[1]
Patterns = Sequence[tuple[re.Pattern[str], str]]
PATTERNS = [
    (re.compile(pattern, re.IGNORECASE | re.MULTILINE), standard) for pattern, standard in FORBIDDEN
]
REPEATS = (re_parser.MAX_REPEAT, re_parser.MIN_REPEAT, re_parser.POSSESSIVE_REPEAT)
SLUG = re.compile(
    r"[a-z0-9_.,:;/|!#*%=+\-<>()\[\]{}\\]*"
)  # keys, paths, formats: nobody reads them as English
CODE = re.compile(
    r"=>|\bfunction\s*\(|\b(?:const|let|var) \w+ =|\{[^{}]*:[^{}]*;[^{}]*\}|^\s*(?:SELECT|INSERT|CREATE) "
)
QUOTED = re.compile(r"``?[^`]*``?|<[^<>]*>|https?://\S+|:material/\w+:")


CONTENT = ROOT / "s2s" / "lessons"  # whose JSON is sentences
CONTENT_KINDS = {".json": json.loads, ".toml": tomllib.loads}

PARTS = sorted(
    [
        path.name
        for path in (ROOT / "s2s").iterdir()
        if path.suffix == ".py" or (path.is_dir() and path.name[0] != "_")
    ]
    + ["pages", "README.md"]
)
URL_PATHS = frozenset(
    " data train runs compare steps evaluate attention heads states lessons walkthrough positions architecture".split(
        " "
    )
)
LONGEST = 240  # characters of a glossary sentence
TEXTS = (ast.JoinedStr, ast.Constant)
HOLDS_UNREAD = (ast.JoinedStr, ast.keyword, ast.Subscript, ast.Call)


class Finding(NamedTuple):
    """A word that the field does not use, and what it says instead."""

    path: Path
    line: int
    found: str
    standard: str
    kind: str  # text, docstring, name or comment

    def __str__(self) -> str:
        where = self.path.relative_to(ROOT) if self.path.is_relative_to(ROOT) else self.path
        said = f"{where}:{self.line}: {self.found!r} -> say {self.standard!r}"
        return said if self.kind == "text" else f"{said} ({self.kind})"


class Text(NamedTuple):
    """Something that a person reads, from `line` to `last` of a file."""

    text: str
    line: int
    last: int
    kind: str


def texts(nodes: Sequence[ast.AST]) -> Iterator[Text]:
    """Every string of a module: f-strings whole, with `{}` for each value, and docstrings as such."""
    docstrings = {id(node.body[0].value) for node in nodes if _has_docstring(node)}  # type: ignore[attr-defined]
    unread = {
        id(part) for node in nodes if isinstance(node, HOLDS_UNREAD) for part in _unread(node)
    }
    for node in nodes:
        if not isinstance(node, TEXTS) or id(node) in unread:
            continue
        if isinstance(node, ast.JoinedStr):
            said = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            )
        elif isinstance(node.value, str):
            said = node.value
        else:
            continue
        yield Text(
            said,
            node.lineno,
            node.end_lineno or node.lineno,
            "docstring" if id(node) in docstrings else "text",
        )


def _unread(node: ast.AST) -> Iterator[ast.AST]:
    """Strings that nobody reads: the parts of an f-string, which is read whole; keys of widgets; indices."""
    if isinstance(node, ast.JoinedStr):
        yield from node.values
    elif isinstance(node, ast.keyword) and node.arg == "key":
        yield node.value
        yield from ast.walk(node.value)
    elif isinstance(node, ast.Subscript):
        yield node.slice
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in (
        "get",
        "pop",
        "setdefault",
    ):
        yield from node.args[:1]


def _has_docstring(node: ast.AST) -> bool:
    is_home = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
    return is_home and ast.get_docstring(node, clean=False) is not None  # type: ignore[arg-type]


class Module(NamedTuple):
    """What people read of a module: its strings, and its public names with their lines."""

    texts: tuple[Text, ...]
    names: tuple[tuple[str, int], ...]


@cache
def read(path: Path) -> Module:
    """A module, parsed and walked once; or a file of content, every string of it."""
    if path.suffix in CONTENT_KINDS:
        return Module(tuple(content(path.read_text(), path.suffix)), ((path.name, 1),))
    nodes = walked(parsed(path))
    return Module(tuple(texts(nodes)), tuple(names(nodes, path)))


def content(source: str, kind: str) -> Iterator[Text]:
    """Every string of JSON or TOML, each with its line; keys, too, some of which are terms or names of columns."""
    lines = source.splitlines()
    values = [CONTENT_KINDS[kind](source)]
    for value in values:
        if isinstance(value, (dict, list)):
            values += value
            values += value.values() if isinstance(value, dict) else ()
        elif isinstance(value, str):
            quoted = (value, json.dumps(value, ensure_ascii=False)[1:-1])
            found = (at for at, each in enumerate(lines, 1) if any(form in each for form in quoted))
            line = next(found, 1)
            yield Text(value, line, line, "text")


def walked(module: ast.Module) -> list[ast.AST]:
    """Every node of a module but `ctx`, itself first, as `ast.walk` finds them, but in half the time."""
    found: list[ast.AST] = [module]
    for node in found:
        for field in node._fields:
            if field == "ctx":
                continue
            value = getattr(node, field, None)
            for each in value if isinstance(value, list) else (value,):
                if isinstance(each, ast.AST):
                    found.append(each)  # the list grows by what is yet to be looked at
    return found


def names(nodes: Sequence[ast.AST], path: Path) -> Iterator[tuple[str, int]]:
    """Public functions, classes and constants, and the file's own name, each with its line."""
    yield path.parent.name if path.stem == "__init__" else path.name, 1
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, node.lineno
    for statement in nodes[0].body:  # type: ignore[attr-defined]
        targets = (
            statement.targets
            if isinstance(statement, ast.Assign)
            else [getattr(statement, "target", None)]
        )
        for target in targets:
            for name in ast.walk(target) if target is not None else ():
                if isinstance(name, ast.Name):
                    yield name.id, name.lineno


def words(name: str) -> list[str]:
    """`words("TheOld_desk")` -> `["the", "old", "desk"]`."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def prose(text: str) -> str:
    """A text that people read on one line, without what it quotes; nothing of code."""
    if SLUG.fullmatch(text) or CODE.search(text):
        return ""
    return re.sub(r"\s+", " ", QUOTED.sub("`", text))


def in_text(text: str, patterns: Patterns = PATTERNS) -> Iterator[tuple[str, str]]:
    """What is found in a text that people read, with the standard term."""
    line = prose(text)
    for pattern, standard in patterns:
        for match in pattern.finditer(line):
            yield match.group(), standard


def in_any(found: Sequence[Text]) -> Patterns:
    """The few patterns that are in one of the texts at all: all texts of a file are searched at once, which is fast,
    and only for patterns of which it has a word.
    """
    lines = "\n".join(prose(each.text) for each in found)
    lower = lines.lower()
    return [
        row
        for row in PATTERNS
        if any(word in lower for word in needed(row[0].pattern)) and row[0].search(lines)
    ]


@cache
def needed(pattern: str) -> tuple[str, ...]:
    """Texts in lower case, one of which is in every match: `"cuts?|data set"` -> `("cut", "data set")`.

    `("",)`, which is in every text, where the pattern says no more.
    """
    return _needed(re_parser.parse(pattern))


def _needed(parsed: Iterable[tuple[Any, Any]]) -> tuple[str, ...]:
    """The best of what the parts of a sequence need: that whose shortest text is the longest."""
    found: list[tuple[str, ...]] = [("",)]
    run = ""
    for kind, value in parsed:
        if kind is re_parser.LITERAL and chr(value).isascii():
            run += chr(value).lower()
            continue
        found.append((run,))
        run = ""
        if kind is re_parser.SUBPATTERN:
            found.append(_needed(value[-1]))
        elif kind is re_parser.BRANCH:
            found.append(tuple(text for branch in value[1] for text in _needed(branch)))
        elif kind in REPEATS and value[0] > 0:
            found.append(_needed(value[-1]))
    return max([*found, (run,)], key=lambda texts: min(map(len, texts)))


def in_name(name: str) -> Iterator[tuple[str, str]]:
    """The same for a public name."""
    if name.startswith("_"):
        return
    if name in FORBIDDEN_WHOLE:
        yield name, FORBIDDEN_WHOLE[name]
    yield from ((name, FORBIDDEN_NAMES[word]) for word in words(name) if word in FORBIDDEN_NAMES)


def findings(path: Path, *, with_comments: bool = False) -> list[Finding]:
    """Of one file, by line: Python, content, or prose with its code left out."""
    source = path.read_text()
    is_read_whole = path.suffix in (".py", *CONTENT_KINDS)
    found = _in_python(path, source, with_comments) if is_read_whole else _in_prose(path, source)
    return sorted(
        {each for each in found if not _is_allowed(each)}, key=lambda each: (each.line, each.found)
    )


def _in_python(path: Path, source: str, with_comments: bool) -> Iterator[Finding]:
    lines = source.splitlines()
    said = [*read(path).texts, *(comments(path) if with_comments else ())]
    patterns = in_any(said)
    for text in said if patterns else ():
        for found, standard in in_text(text.text, patterns):
            yield Finding(path, _line(lines, text, found), found, standard, text.kind)
    for name, line in read(path).names:
        for found, standard in in_name(name):
            yield Finding(path, line, found, standard, "name")


def comments(path: Path) -> Iterator[Text]:
    """Comments of a module; the test leaves them alone, the script shows them with `--comments`."""
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                yield Text(token.string.lstrip("# "), token.start[0], token.end[0], "comment")


def _line(lines: Sequence[str], text: Text, found: str) -> int:
    """The line on which a text of several lines holds what was found; its first, where that runs over two."""
    inside = range(text.line, text.last + 1)
    return next((number for number in inside if found in lines[number - 1]), text.line)


def _in_prose(path: Path, source: str) -> Iterator[Finding]:
    """Of Markdown, without code and without the table cells that quote old words."""
    hidden = re.sub(r"(?ms)^ *```.*?^ *```", lambda block: "\n" * block.group().count("\n"), source)
    for number, line in enumerate(hidden.splitlines(), 1):
        for found, standard in in_text(line):
            yield Finding(path, number, found, standard, "text")


def _is_allowed(finding: Finding) -> bool:
    where = finding.path.as_posix()
    return any(
        part in where
        and kind in ("", finding.kind)
        and re.fullmatch(pattern, finding.found, re.IGNORECASE)
        for part, kind, pattern, _ in ALLOWED
    )


def files(paths: Sequence[str]) -> list[Path]:
    """Python, Markdown and content under the given paths, and files that are given themselves."""
    given = [Path(path).resolve() for path in paths]
    kinds = (".py", ".md", *CONTENT_KINDS)
    inside = [each for path in given for kind in kinds for each in path.rglob(f"*{kind}")]
    read = (each for each in inside if each.suffix != ".json" or each.is_relative_to(CONTENT))
    return sorted({*(path for path in given if path.is_file()), *read})


def main(given: Sequence[str]) -> int:
    """Print the findings of the given paths; the exit status is 1 where there are any."""
    paths = [path for path in given if not path.startswith("--")] or ["s2s", "pages", "README.md"]
    found = [
        each
        for path in files(paths)
        for each in findings(path, with_comments="--comments" in given)
    ]
    print(*found, f"{len(found)} findings", sep="\n")
    return bool(found)


@pytest.mark.parametrize("part", PARTS)
def test_the_words_are_the_field_s_own(part: str) -> None:
    home = ROOT if part in ("pages", "README.md") else ROOT / "s2s"
    found = [each for path in files([str(home / part)]) for each in findings(path)]
    assert not found, "\n".join(map(str, found))


def test_finds_what_it_should_and_no_good_english() -> None:
    for said, found in [
        ("3 prefixes were let go", ["let go"]),
        ("2.1 nats a token", ["nats a token"]),
        ("{} a second", ["{} a second"]),
        ("A row a run", ["A row a run"]),
        ("the neighbours of a grey data set", ["neighbours", "grey", "data set"]),
        ("wrote it all the same, deleted for good", ["all the same", "for good"]),
        ("4 words in the median", ["in the median"]),
        ("learnt by heart behind the source", ["by heart", "behind", "learnt"]),
        ("What hangs on the seed", ["hangs on"]),
        ("a head in place of a blank line, behind a proxy, at the first place", []),
        ("turned off on this machine; makes each character a token", []),
        ("the optimizer, its behavior, analysis, exercise, precise, raise, otherwise", []),
        ("label-smoothed cross-entropy, a cutoff, minus signs, what goes on", []),
        ("eval_all.key", []),
    ]:
        assert sorted(each for each, _ in in_text(said)) == sorted(found)


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        (r"\blet(?:s|ting)? go\b", ("let",)),
        (r"\bas (?:ended|finished)\b", ("ended", "finished")),
        (r"\bcuts?\b(?!off)|data set", ("cut", "data set")),
        (r"(?<!in )(?:ONE|two)+c?", ("one", "two")),
        (r"(?:long)? ?\d{2}", ("",)),
        (r"x{0,3}", ("",)),
    ],
)
def test_what_a_pattern_needs_is_in_all_that_it_matches(
    pattern: str, texts: tuple[str, ...]
) -> None:
    assert sorted(needed(pattern)) == sorted(texts)


def test_no_word_is_missed_for_the_sake_of_speed() -> None:
    paths = files([str(ROOT / "tests" / "forbidden.py"), __file__])
    said = [Text(line, 1, 1, "text") for path in paths for line in path.read_text().splitlines()]
    lines = "\n".join(prose(each.text) for each in said)
    found = [row for row in PATTERNS if row[0].search(lines)]
    assert in_any(said) == found
    assert len(found) > 20
    assert min(len(text) for row in PATTERNS for text in needed(row[0].pattern)) > 2


def test_reads_f_strings_whole_and_leaves_keys_alone(tmp_path: Path) -> None:
    path = tmp_path / "newborn.py"
    path.write_text(
        '"""A shelf."""\nCOLOUR = f"{1} tokens a {2}"\nx = f"{1} tokens a second"\ny = d["the desk"]\n'
    )
    assert [(each.line, each.found, each.kind) for each in findings(path)] == [
        (1, "newborn.py", "name"),
        (1, "shelf", "docstring"),
        (2, "COLOUR", "name"),
        (3, "tokens a second", "text"),
    ]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (".json", '{\n"the desk": [\n{"note": "Two:\\n\\nLet go. \\"Cut\\""}, 1, "a shelf"]}\n'),
        (".toml", '\n["the desk"]\nnote = ["Two:\\n\\nLet go. \\"Cut\\"", 1, \'a shelf\']\n'),
    ],
)
def test_reads_every_string_of_content(tmp_path: Path, kind: str, text: str) -> None:
    path = (tmp_path / "lesson").with_suffix(kind)
    path.write_text(text)
    assert [(each.line, each.found) for each in findings(path)] == [
        (2, "desk"),
        (3, "Cut"),
        (3, "Let go"),
        (3, "shelf"),
    ]


def test_the_script_says_where_and_what_to_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "notes.md"
    path.write_text("Fine.\n\n```\nlet go\n```\nIt was let go.\n")
    assert main([str(path)]) == 1
    assert capsys.readouterr().out == f"{path}:6: 'let go' -> say 'pruned'\n1 findings\n"


def test_every_exception_says_why() -> None:
    assert all(why for *_, why in ALLOWED)
    assert not set(FORBIDDEN_NAMES) & set(FORBIDDEN_WHOLE)


def known() -> set[str]:
    """Every form of every term, as it is compared."""
    return {_form(form) for row in GLOSSARY for form in (row.term, *row.also)}


def _form(text: str) -> str:
    return re.sub(r"[_\s-]+", " ", text).casefold()


def test_the_glossary_is_sorted_and_says_each_thing_once() -> None:
    for rows in (GLOSSARY, *TOPICS.values()):
        terms = [row.term.casefold() for row in rows]
        assert terms == sorted(terms)
    terms = [row.term.casefold() for row in GLOSSARY]
    assert len(set(terms)) == len(terms)
    assert isinstance(GLOSSARY, tuple)
    assert all(row.term not in row.also for row in GLOSSARY)
    assert {*FILES.values()} == {path.stem for path in (ROOT / "s2s/words/terms").iterdir()}


def test_an_entry_is_two_sentences_and_a_page() -> None:
    said = [text for row in GLOSSARY for text in (row.plain, row.expert, *row.also)]
    patterns = in_any([Text(text, 1, 1, "text") for text in said])
    for row in GLOSSARY:
        for sentence in (row.plain, row.expert):
            assert sentence.endswith("."), row.term
            assert len(sentence) <= LONGEST, row.term
            assert not re.search(r"[.!?] [A-Z]", sentence), f"{row.term}: more than a sentence"
        assert row.page in URL_PATHS, row.term
        assert not [
            found
            for text in (row.plain, row.expert, *row.also)
            for found in in_text(text, patterns)
        ], row.term


def test_metric_names_are_keyed_by_themselves_and_say_which_way_is_better() -> None:
    for key, row in METRIC_NAMES.items():
        assert key == row.key
        assert row.better in ("higher", "lower", ""), key
        assert row.label, key
        assert row.help.endswith("."), key
        assert not [*in_text(row.help), *in_text(row.label)], key
    assert len({row.label for row in METRIC_NAMES.values()}) == len(METRIC_NAMES)
    with pytest.raises(TypeError):
        METRIC_NAMES["bleu"] = METRIC_NAMES["chrf"]  # type: ignore[index]


TABLES = (
    "strategies",
    "positions",
    "tokenizers",
    "schedules",
    "optimizers",
    "settings",
    "decoding",
    "scores",
)


def registry(name: str) -> set[str]:
    """The keys of a table whose rows a visitor can choose."""
    from s2s.config import POSITION_KINDS
    from s2s.decode import STRATEGIES
    from s2s.tokenizers import TOKENIZERS
    from s2s.training import SCHEDULES
    from s2s.training.optimizers import OPTIMIZERS

    tables = {
        "strategies": STRATEGIES,
        "positions": POSITION_KINDS,
        "tokenizers": TOKENIZERS,
        "schedules": SCHEDULES,
        "optimizers": OPTIMIZERS,
        "settings": {key.rpartition(".")[2]: 1 for key in settings_of(Recipe)},
        "decoding": {key: 1 for row in STRATEGIES.values() for key in settings_of(row.config)},
        "scores": {
            key: 1
            for key in METRIC_NAMES
            if key in ("bleu", "chrf", "ter", "perplexity", "loss", "token_accuracy", "lr")
        },
    }
    return set(tables[name])


@pytest.mark.parametrize("name", TABLES)
def test_what_can_be_chosen_is_in_the_glossary(name: str) -> None:
    missing = {key for key in registry(name) if _form(key) not in known()} - PLAIN
    assert not missing, f"neither in the glossary nor plain English: {sorted(missing)}"


def test_no_exception_is_stale() -> None:
    used = {key for name in TABLES for key in registry(name) if _form(key) not in known()}
    assert not PLAIN - used


SHOWN = ("ui", "plots", "lessons", "config", "scores")  # what pages take their words from


def test_technical_words_on_a_screen_are_in_the_glossary() -> None:
    shown = " ".join(
        text.text
        for path in files([*(str(ROOT / "s2s" / part) for part in SHOWN), str(ROOT / "pages")])
        for text in read(path).texts
        if text.kind == "text"
    )
    lower = shown.lower()
    used = [word for word in TECHNICAL if word.lower() in lower and _is_shown(word, shown)]
    assert len(used) > 50
    assert not [word for word in used if _form(word) not in known()]


def _is_shown(word: str, text: str) -> bool:
    return bool(re.search(rf"(?i)\b{re.escape(word)}s?\b", text))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
