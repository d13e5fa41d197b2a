"""Where visitors' lessons and classes are kept: tables of the database, whose rows the library opens."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import sqlalchemy as sa

OWN_LESSONS = sa.Table(
    "lessons",
    sa.MetaData(),
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("owner", sa.String(80)),
    sa.Column("shared", sa.Boolean),
    sa.Column("content", sa.JSON),  # as `lesson_file.to_json` writes it
    sa.Column("created", sa.Double),
    sa.Column("opened", sa.Double),  # to the day, or changed
)
CLASSES = sa.Table(
    "classes",
    sa.MetaData(),
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("owner", sa.String(80)),
    sa.Column("lesson", sa.String(64)),
    sa.Column("created", sa.Double),
)
TABLES: Mapping[str, sa.Table] = MappingProxyType({"lesson": OWN_LESSONS, "class": CLASSES})


def at(row: sa.Row[tuple[object, ...]]) -> sa.ColumnElement[bool]:
    """What finds a row again that the library has opened."""
    table = CLASSES if "lesson" in row._mapping else OWN_LESSONS
    found: sa.ColumnElement[bool] = table.c.id == row.id
    return found
