"""Instructions with an input, and chats: read the same way in every format and from Python."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import pytest

from s2s.config import DataConfig, UserError
from s2s.data import Pair, load
from s2s.data.files import offered
from s2s.data.formats.reference_columns import read_references
from s2s.data.in_memory import as_corpus
from s2s.data.tasks import apply_task

ALPACA = [
    {"instruction": "Add.", "input": "1 2", "output": "3"},
    {"instruction": "Say hello.", "input": "", "output": "Hello."},
]
ALPACA_PAIRS = (Pair("Add. 1 2", "3"), Pair("Say hello.", "Hello."))


def chat(*texts: str, who: str = "role", what: str = "content") -> list[dict[str, str]]:
    roles = ("system", "user", "assistant") if who == "role" else ("system", "human", "gpt")
    order = (0, *(1 + at % 2 for at in range(len(texts) - 1)))
    return [{who: roles[at], what: text} for at, text in zip(order, texts, strict=True)]


CHATS = [
    {"id": 1, "messages": chat("Be kind.", "Hi!", "Hello.", "Bye!", "Come back.", "More?")},
    {"id": 2, "messages": chat("Be kind.", "2+2?", "4")},
]
SHARED = [{"conversations": chat("Be kind.", "2+2?", "4", who="from", what="value")}]
CHAT_PAIRS = (
    Pair("Be kind. <turn> Hi! <turn> Hello. <turn> Bye!", "Come back."),
    Pair("Be kind. <turn> 2+2?", "4"),
)


def written(rows: list[dict[str, Any]], name: str) -> bytes:
    frame = pd.DataFrame(rows)
    out = io.BytesIO()
    if name == "parquet":
        datasets.Dataset.from_list(rows).to_parquet(out)
    elif name == "jsonl":
        frame.to_json(out, orient="records", lines=True)
    elif name == "json":
        frame.to_json(out, orient="records")
    else:
        frame.to_csv(out, index=False, sep="\t" if name == "tsv" else ",")
    return out.getvalue()


@pytest.mark.parametrize("name", ["jsonl", "json", "parquet", "csv", "tsv"])
def test_the_input_of_an_instruction_is_part_of_the_source(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"train.{name}"
    path.write_bytes(written(ALPACA, name))
    corpus = load(str(path))
    assert corpus.pairs == ALPACA_PAIRS
    assert "`instruction+input` is the source, `output` the target" in corpus.notes[0]
    assert offered([path]).src == "instruction+input"
    assert load(f"{path}#src=instruction,tgt=output").pairs[0] == Pair("Add.", "3")
    assert load(f"{path}#src=instruction+input,tgt=output").pairs == ALPACA_PAIRS
    if name in ("parquet", "jsonl", "csv"):
        drawn = load(f"disk:{tmp_path}#rows=1,sample=1").pairs
        assert {*drawn} < {*ALPACA_PAIRS}
        plain = load(f"disk:{tmp_path}#src=instruction+input,tgt=instruction+input")
        assert plain.is_plain
        assert [pair.tgt for pair in plain.pairs] == ["Add. 1 2", "Say hello."]


CONTAINERS: list[Callable[[list[dict[str, Any]]], Any]] = [
    list,
    pd.DataFrame,
    datasets.Dataset.from_list,
]


@pytest.mark.parametrize("make", CONTAINERS)
def test_the_same_from_python(make: Callable[[list[dict[str, Any]]], Any]) -> None:
    assert as_corpus(make(ALPACA)).pairs == ALPACA_PAIRS
    corpus = as_corpus(make(CHATS))
    assert corpus.pairs == CHAT_PAIRS
    assert any("the last message of the assistant is the target" in note for note in corpus.notes)
    assert as_corpus(make(SHARED)).pairs == CHAT_PAIRS[1:]


@pytest.mark.parametrize("name", ["jsonl", "json", "parquet"])
def test_a_chat_is_its_last_answer_and_the_turns_before(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"train.{name}"
    path.write_bytes(written(CHATS, name))
    corpus = load(str(path))
    assert corpus.pairs == CHAT_PAIRS
    assert "`messages.turns` is the source, `messages.answer` the target" in corpus.notes[0]
    assert any("a system message included, are the source" in note for note in corpus.notes)
    respond = apply_task(corpus, DataConfig(task="respond", turns=2), 0)
    assert respond.pairs[0] == Pair("respond: Hello. <turn> Bye!", "Come back.")
    path.write_bytes(written(SHARED, name))
    assert load(str(path)).pairs == CHAT_PAIRS[1:]
    assert load(f"disk:{tmp_path}").pairs == CHAT_PAIRS[1:]
    assert read_references(f"a.{name}", path.read_bytes()).rows[0][1] == ("4",)


def test_one_json_object_of_chats(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for value in ({"data": CHATS}, [row["messages"] for row in CHATS]):
        path.write_text(json.dumps(value))
        assert load(str(path)).pairs == CHAT_PAIRS
    path.write_text(json.dumps(CHATS[0]))
    assert load(str(path)).pairs == CHAT_PAIRS[:1]


def test_a_chat_without_an_answer_is_dropped_and_counted(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "What is"}, {"type": "text", "text": "it?"}]
    rows = [
        {"messages": [{"role": "user", "content": parts}, {"role": "assistant", "content": "A."}]},
        {"messages": [{"role": "user", "content": "Hm?"}]},
        {"messages": [{"role": "assistant", "content": "Welcome!"}]},
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    corpus = load(str(path))
    assert corpus.pairs == (Pair("What is it?", "A."),)
    assert any("2 rows without a text in both fields dropped" in note for note in corpus.notes)


def of(*pairs: tuple[str, str], who: str = "role", what: str = "content") -> list[dict[str, Any]]:
    return [{who: name, what: text} for name, text in pairs]


ASKED, ANSWERED = ("user", "2+2?"), ("assistant", "4")
MORE = [("user", "Hi!"), ("assistant", "Hello."), ASKED]
LONG = Pair("Hi! <turn> Hello. <turn> 2+2?", "4")
SHAPES: list[tuple[dict[str, Any], Pair]] = [
    ({"prompt": of(*MORE), "completion": of(ANSWERED)}, LONG),
    ({"prompt": of(*MORE), "rejected": of(("assistant", "5")), "chosen": of(ANSWERED)}, LONG),
    ({"rejected": of(ASKED, ("assistant", "5")), "chosen": of(ASKED, ANSWERED)}, Pair("2+2?", "4")),
    ({"prompt": of(*MORE, ANSWERED)}, LONG),
    ({"contents": [{"role": "user", "parts": [{"text": "2+2?"}]},
                   {"role": "model", "parts": [{"text": "4"}]}]}, Pair("2+2?", "4")),
    ({"dialog": of(("Anna", "Hi!"), ("Ben", "Yes?"), ("Anna", "Bye."), who="speaker", what="text")},
     Pair("Hi! <turn> Yes?", "Bye.")),
    ({"turns": of(("USER", "2+2?"), ("SYSTEM", "4"), who="speaker", what="utterance")},
     Pair("2+2?", "4")),
    ({"conversation": [{"human": "Hi!", "assistant": "Hello."},
                       {"human": "2+2?", "assistant": "4"}]}, LONG),
    ({"question": "2+", "context": "2?", "answer": "4"}, Pair("2+ 2?", "4")),
    ({"instruction": "2+", "input": "2?", "output": "4", "history": [["Hi!", "Hello."]]},
     Pair("Hi! <turn> Hello. <turn> 2+ 2?", "4")),
]  # fmt: skip


@pytest.mark.parametrize(("row", "pair"), SHAPES)
def test_other_shapes_of_chats_in_every_format(
    tmp_path: Path, row: dict[str, Any], pair: Pair
) -> None:
    rows = [row, row]
    for name in ("jsonl", "json", "parquet"):
        (tmp_path / f"a.{name}").write_bytes(written(rows, name))
        assert load(str(tmp_path / f"a.{name}")).pairs == (pair, pair), name
    for make in CONTAINERS:
        assert as_corpus(make(rows)).pairs == (pair, pair)


@pytest.mark.parametrize("write", [json.dumps, str], ids=["json", "python"])
@pytest.mark.parametrize("name", ["csv", "tsv", "jsonl", "parquet"])
def test_chats_and_translations_as_text_in_cells(
    tmp_path: Path, name: str, write: Callable[[Any], str]
) -> None:
    for column, value, pair in (
        ("messages", of(*MORE, ANSWERED), LONG),
        ("translation", {"en": 'a "b" c', "de": "d"}, Pair('a "b" c', "d")),
    ):
        rows = [{"id": at, column: write(value)} for at in range(3)]
        path = tmp_path / f"a.{name}"
        if name == "tsv":
            path.write_text(f"id\t{column}\n" + "".join(f"1\t{write(value)}\n" for _ in rows))
        else:
            path.write_bytes(written(rows, name))
        assert load(str(path)).pairs == (pair,) * 3
        assert as_corpus(pd.DataFrame(rows)).pairs == (pair,) * 3


def test_an_export_of_chatgpt_is_read_along_its_last_answer(tmp_path: Path) -> None:
    def node(parent: str | None, role: str, text: str) -> dict[str, Any]:
        message = {"author": {"role": role}, "content": {"parts": [text]}}
        return {"message": message if text else None, "parent": parent}

    tree = {
        "r": node(None, "", ""),
        "q": node("r", "user", "2+2?"),
        "old": node("q", "assistant", "5"),
        "new": node("q", "assistant", "4"),
    }
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{"title": "Sums", "mapping": tree, "conversation_id": "x"}] * 2))
    assert load(str(path)).pairs == (Pair("2+2?", "4"),) * 2
    tree["r"]["parent"] = "new"  # a circle ends
    path.write_text(json.dumps([{"title": "Sums", "mapping": tree}] * 2))
    assert load(str(path)).pairs[0].tgt == "4"


def test_a_table_of_messages_or_of_preferences_is_refused(tmp_path: Path) -> None:
    rows = [{"message_id": f"m{at}", "text": t, "role": r} for at, (r, t) in enumerate(MORE)]
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"chosen": "Human: Hi! Bot: A.", "rejected": "Human: Hi! Bot: B."}))
    with pytest.raises(UserError, match="`chosen` is the only column of text"):
        load(str(path))
    path.write_bytes(written(rows, "jsonl"))
    with pytest.raises(UserError, match="is one message, with its `role`; write a row per chat"):
        load(str(path))
    assert load(f"{path}#src=text,tgt=role").pairs[0] == Pair("Hi!", "user")
