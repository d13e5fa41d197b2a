"""Who may do what to which thing.

A thing (run, saved dataset, evaluation, upload) belongs to a workspace. Locally there is one, `local`, which may do
everything. On a hosted server (`S2S_HOSTED`) every visitor has a workspace of their own, and jobs work for the owner of
what they make. What its owner has shared, anyone who knows its id may view and explore, never change. What the table
does not say, nobody may.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from s2s.config import DeniedError, asker, shortened

Verb = Literal["view", "explore", "change", "delete", "list", "download"]

VERBS = frozenset[str](get_args(Verb))
LOOK = frozenset({"view", "explore"})
NEVER = frozenset({"change", "delete"})  # what nobody does to what ships with the program


class Rights(NamedTuple):
    """What people other than the owner may do to things of one kind."""

    guests: frozenset[str] = frozenset()  # who know its id, where the owner has shared it
    operator: frozenset[str] = (
        frozenset()
    )  # who runs the server, and does not read what visitors make


# by kind, as a visitor calls it
RIGHTS: Mapping[str, Rights] = MappingProxyType(
    {
        "run": Rights(guests=LOOK),
        "dataset of the run": Rights(guests=LOOK),
        "saved dataset": Rights(),
        "upload": Rights(),
        "evaluation": Rights(guests=LOOK),
        "test set of the evaluation": Rights(guests=LOOK),
        "measurement": Rights(),
        "import": Rights(),
        "job": Rights(operator=frozenset({"list", "change"})),
        "lesson": Rights(guests=LOOK),
        "class": Rights(guests=LOOK),  # whoever has its link may join
        "short link": Rights(),
        "workspace": Rights(operator=frozenset({"list", "delete"})),
        "server": Rights(operator=frozenset({"change"})),
    }
)


@dataclass(frozen=True)
class Thing:
    """Something that belongs to a workspace."""

    kind: str
    id: str
    owner: str
    is_shared: bool = False


def may(workspace: str, verb: Verb, thing: Thing) -> bool:
    """Whether a workspace may do `verb` to a thing."""
    if thing.owner == asker.EVERYBODY:
        return verb not in NEVER
    if workspace == asker.LOCAL and not asker.is_hosted():
        return True
    if (rights := RIGHTS.get(thing.kind)) is None or verb not in VERBS:
        return False
    if workspace == asker.OPERATOR:
        return verb in rights.operator
    if workspace != asker.NOBODY and workspace == thing.owner:
        return True
    return thing.is_shared and verb in rights.guests


def is_own(thing: Thing) -> bool:
    """Whether whoever this code works for may change a thing."""
    return may(asker.current(), "change", thing)


def require(verb: Verb, thing: Thing, workspace: str | None = None) -> None:
    """Raises DeniedError unless the workspace, by default that of this request, may do `verb` to the thing."""
    who = asker.current() if workspace is None else workspace
    if may(who, verb, thing):
        return
    if may(who, "view", thing):
        raise DeniedError(
            f"The {thing.kind} `{shortened(thing.id)}` belongs to somebody else: you can look at it and try it, but"
            f" not {verb} it."
        )
    raise unknown(thing.kind, thing.id)


def unknown(kind: str, id: str) -> DeniedError:
    """The one error for a thing that does not exist and for one that is private."""
    return DeniedError(
        f"There is no {kind} `{shortened(id)}` here that you may open: it was deleted, or its owner has not shared it;"
        " choose one of yours, or ask for its link."
    )
