"""Chats: lists of messages, `{"role": "user", "content": "..."}` or `{"speaker": "Anna", "text": "..."}`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from s2s.data.formats.column_names import HISTORY

WHO = ("role", "from", "speaker", "author", "sender")
WHAT = ("content", "value", "text", "parts", "utterance", "message")
ANSWERING = frozenset("assistant gpt model bot chatgpt ai chatbot agent".split())
OTHERS = frozenset("user human system prompter developer tool function customer client".split())
TREE = "mapping"  # where an export of ChatGPT has the messages of a chat, each with the next ones
PROMPT = frozenset({"prompt", "prompts"})  # chats to be answered, without the answer
TURNS, ANSWER = "turns", "answer"  # columns that a chat gives: `messages.turns`
NOTE = (
    "Of each chat, the last message of the assistant is the target, and all messages before it, a system message"
    " included, are the source; where speakers have names, the last message is the target."
)


def has_keys(names: Iterable[str]) -> bool:
    """Whether names are the fields of a message, or of messages by who says them: `{"human": "...", "gpt": "..."}`."""
    given = {*names}
    return is_message(given) or (bool(given) and given <= ANSWERING | OTHERS)


def is_message(names: Iterable[str]) -> bool:
    """Whether these names are fields of one message: who speaks, and what is said."""
    given = {*names}
    return not given.isdisjoint(WHO) and not given.isdisjoint(WHAT)


def is_chat(value: Any) -> bool:
    """Whether a value is a list of messages."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, Mapping) and has_keys(each) for each in value)
    )


def exchanges(name: str, value: Any) -> Any:
    """The turns of a `history`, which is a list of pairs; anything else as it is."""
    is_history = name.strip().casefold() == HISTORY and isinstance(value, list)
    if not is_history or not all(isinstance(each, list) for each in value):
        return value
    return [text for each in value for text in each]


def is_tree(value: Any) -> bool:
    """Whether a value is a chat as ChatGPT exports it: messages by their ids, each with its `parent`."""
    return (
        isinstance(value, Mapping)
        and bool(value)
        and all(
            isinstance(node, Mapping) and {"message", "parent"} <= {*node}
            for node in value.values()
        )
    )


def of_tree(nodes: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The messages of a ChatGPT export, up to the last one; of an answer that was asked for again, the last."""
    messages = list[dict[str, Any]]()
    at: Any = [*nodes][-1]
    for _ in nodes:  # no more steps than messages, whatever the file says
        if (node := nodes.get(at)) is None:
            break
        if isinstance(message := node["message"], Mapping):
            author, content = message.get("author"), message.get("content")
            who = author.get("role") if isinstance(author, Mapping) else author
            said = content.get("parts") if isinstance(content, Mapping) else content
            messages.append({"role": who, "content": said})
        at = node["parent"]
    return messages[::-1]


def columns(name: str, messages: Sequence[Any] | None) -> dict[str, Any]:
    """The columns of one chat: the texts before the assistant's last message, and that message; None without one.

    A prompt that ends with another message has turns only, and a completion an answer only.
    """
    turns, answer = _apart(messages, is_prompt=name.strip().casefold() in PROMPT)
    return {f"{name}.{TURNS}": turns, f"{name}.{ANSWER}": answer}


def _apart(
    messages: Sequence[Any] | None, *, is_prompt: bool
) -> tuple[list[str] | None, str | None]:
    said = [one for each in messages or () if isinstance(each, Mapping) for one in _said(each)]
    texts = [(who, text) for who, text in said if text.strip()]
    if is_prompt and texts and texts[-1][0] not in ANSWERING:
        return [text for _, text in texts], None
    last = max((at for at, (who, _) in enumerate(texts) if who in ANSWERING), default=-1)
    if last < 0:
        last = _last_other_answer([who for who, _ in texts])
    if last < 0:
        return None, None
    return [text for _, text in texts[:last]] or None, texts[last][1]


def _last_other_answer(speakers: Sequence[str]) -> int:
    if not any(who in OTHERS for who in speakers):
        return len(speakers) - 1
    return max(
        (
            at
            for at, who in enumerate(speakers)
            if who == "system" and at and speakers[at - 1] != who
        ),
        default=-1,
    )


def _said(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    if not is_message(message):
        return [(who, text) for who, text in message.items() if isinstance(text, str)]
    who = next((message[key] for key in WHO if message.get(key) is not None), "")
    content = next((message[key] for key in WHAT if message.get(key) is not None), None)
    if isinstance(content, list):  # parts, of which some may be pictures
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        content = " ".join(part for part in parts if isinstance(part, str))
    return [(str(who).strip().casefold(), content if isinstance(content, str) else "")]
