"""What a visitor does with their own workspace."""

from collections.abc import Callable

from s2s import hosted as workspaces
from s2s.config import asker
from s2s.files.stored import Usage
from s2s.hosted import Expiring, Key, deletion, rows, workspace_of_account


def make_link(workspace: str, now: float | None = None) -> str:
    with asker.acting_as(workspace):
        return rows.make_link(workspace, now=now)


def keep(workspace: str, now: float | None = None) -> None:
    with asker.acting_as(workspace):
        rows.keep(workspace, now=now)


def delete_workspace(
    workspace: str, sleep: Callable[[float], None] = lambda seconds: None
) -> Usage:
    with asker.acting_as(workspace):
        return deletion.delete_workspace(workspace, sleep=sleep)


def write_export(workspace: str, browser: str) -> str:
    with asker.acting_as(workspace):
        return workspaces.write_export(workspace, browser)


def expiring(workspace: str) -> list[Expiring]:
    with asker.acting_as(workspace):
        return workspaces.expiring(workspace)


def merge(key: Key, account: str) -> int:
    with asker.acting_as(workspace_of_account(account)):
        return workspaces.merge(key, account)
