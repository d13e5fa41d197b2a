"""Whose turn it is: the order in which waiting jobs start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from s2s.files.database import JOBS, TURNS, begin

ROW = JOBS.c


def positions() -> dict[str, int]:
    """How many jobs of its slot start before each waiting job, by id, owners taking turns."""
    waiting = sa.select(ROW.slot).where(ROW.state == "queued").distinct()
    found: dict[str, int] = {}
    with begin() as connection:
        slots = connection.execute(waiting).scalars().all()
        for slot in slots:
            order = in_turn(connection, str(slot))
            found |= {job: before for before, job in enumerate(order)}
    return found


def in_turn(connection: sa.Connection, slot: str) -> list[str]:
    """The waiting jobs of a slot in the order in which they will start, if no more are submitted.

    Those that a worker has handed back come first: they had their turn.
    """
    is_waiting = sa.and_(ROW.state == "queued", ROW.slot == slot)
    waiting = (
        sa.select(ROW.id, ROW.owner, ROW.started)
        .where(is_waiting)
        .order_by(ROW.created, ROW.run, ROW.id)
    )
    handed_back: list[str] = []
    others: list[tuple[str, str]] = []
    for row in connection.execute(waiting):
        if row.started is not None:
            handed_back.append(row.id)
        else:
            others.append((row.id, row.owner))

    owners = sa.select(ROW.owner).where(is_waiting)
    turns = (
        sa.select(TURNS.c.owner, TURNS.c.turn)
        .where(TURNS.c.slot == slot)
        .where(TURNS.c.owner.in_(owners))
    )
    found = connection.execute(turns)
    last_turns = {row.owner: row.turn for row in found}
    return [
        *handed_back,
        *fair_order(others, last_turns),
    ]


def fair_order(jobs: Sequence[tuple[str, str]], turns: Mapping[str, int]) -> list[str]:
    """Jobs, given oldest first as (id, owner), in fair order: owners take turns, the longest-waiting owner first.

    `fair_order([("1", "ann"), ("2", "ann"), ("3", "bob")], {})` is `["1", "3", "2"]`.
    """
    owners = list(dict.fromkeys(owner for _, owner in jobs))
    owners.sort(key=lambda owner: turns.get(owner, 0))
    ranks = {owner: rank for rank, owner in enumerate(owners)}
    rounds: Counter[str] = Counter()
    keyed = []
    for job, owner in jobs:
        keyed.append((rounds[owner], ranks[owner], job))
        rounds[owner] += 1
    return [job for _, _, job in sorted(keyed)]


def note_turn(connection: sa.Connection, owner: str, slot: str) -> None:
    """Note that a job of that owner starts: the others' turns come before the owner's next."""
    newest = sa.select(sa.func.max(TURNS.c.turn)).where(TURNS.c.slot == slot)
    turn = (connection.execute(newest).scalar() or 0) + 1
    mine = sa.and_(TURNS.c.owner == owner, TURNS.c.slot == slot)
    updated = connection.execute(sa.update(TURNS).where(mine).values(turn=turn))
    if not updated.rowcount:
        connection.execute(sa.insert(TURNS).values(owner=owner, slot=slot, turn=turn))
