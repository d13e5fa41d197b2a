"""Chats: lists of messages with roles, `{"role": "user", "content": "..."}` or `{"from": "human", "value": "..."}`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

KEYS = (("role", "content"), ("from", "value"))  # who speaks, and what is said
ANSWERING = frozenset("assistant gpt model bot chatgpt ai chatbot agent".split())
TURNS, ANSWER = "turns", "answer"  # columns that a chat gives: `messages.turns`
NOTE = (
    "Of each chat, the last message of the assistant is the target, and all messages before it, a system message"
    " included, are the source."
)


def has_keys(names: Iterable[str]) -> bool:
    """Whether these are the fields of a message."""
    given = {*names}
    return any(given >= {*keys} for keys in KEYS)


def is_chat(value: Any) -> bool:
    """Whether a value is a list of messages."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, Mapping) and has_keys(each) for each in value)
    )


def columns(name: str, messages: Sequence[Any] | None) -> dict[str, Any]:
    """The columns of one chat: the texts before the last message of the assistant, and that; None without one."""
    turns, answer = _apart(messages)
    return {f"{name}.{TURNS}": turns, f"{name}.{ANSWER}": answer}


def _apart(messages: Sequence[Any] | None) -> tuple[list[str] | None, str | None]:
    said = [_said(each) for each in messages or () if isinstance(each, Mapping)]
    texts = [(who, text) for who, text in said if text.strip()]
    last = max((at for at, (who, _) in enumerate(texts) if who in ANSWERING), default=-1)
    if last < 1:
        return None, None
    return [text for _, text in texts[:last]], texts[last][1]


def _said(message: Mapping[str, Any]) -> tuple[str, str]:
    who, what = next((keys for keys in KEYS if message.get(keys[0]) is not None), KEYS[0])
    content = message.get(what)
    if isinstance(content, list):  # parts, of which some may be pictures
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        content = " ".join(part for part in parts if isinstance(part, str))
    return str(message.get(who)).strip().casefold(), content if isinstance(content, str) else ""
