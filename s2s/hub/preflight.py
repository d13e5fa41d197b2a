"""What there is to know of a data set before anything of it is read: one request, a few seconds at most."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from s2s.config import UserError, choose
from s2s.hub import access, wording
from s2s.hub.layout import Configs, File, Layout, Split, arrange
from s2s.hub.names import check, check_revision

SECONDS = 4.0
PARQUET = "refs/convert/parquet"  # the branch that the hub fills by itself with a copy of many sets
T = TypeVar("T")


@dataclass(frozen=True)
class Dataset:
    """A data set as it was at revision `sha`. `configs` holds at least one configuration, the usual one first, with at least one split.

    `licence` and `description` are its owner's words, empty where there are none.
    """

    id: str
    sha: str
    configs: Configs
    gated: bool = False
    private: bool = False
    licence: str = ""
    description: str = ""
    notes: tuple[str, ...] = ()

    def splits(self, config: str = "") -> Mapping[str, Split]:
        """Those of a configuration; of the usual one without a name. Raises UserError for an unknown one."""
        return choose(
            f"configuration of `{self.id}`", config or next(iter(self.configs)), self.configs
        )

    def split(self, config: str, split: str) -> Split:
        """Raises UserError for an unknown configuration or split, with the nearest that there are."""
        return choose(f"split of `{self.id}`", split, self.splits(config))


def preflight(
    name: str, token: str = "", *, revision: str = "", seconds: float = SECONDS
) -> Dataset:
    """The files of a data set and the revision they are of, within so many seconds whatever the hub does.

    One request; one more for a gated set, and one for a set whose files can't be read, to look for the hub's own parquet copy.
    Raises UserError, one sentence for each thing that can be wrong.
    """
    name = check(name)
    token = access.sane(token)
    revision = check_revision(revision)
    access.library()  # its import is not the hub's fault
    asking = _Asking(name, token, time.monotonic() + seconds)
    try:
        return _within(seconds, lambda: asking.dataset(revision))
    except Late as error:
        raise wording.slow(name) from error


def look_up(name: str, revision: str = "") -> Dataset:
    """`preflight` with the token of `using`; within it, the same data set is asked for once and stays at the revision first seen."""
    visit = access.visit()
    key = (check(name), revision)
    if key not in visit.found:
        visit.found[key] = preflight(name, visit.token, revision=revision)
    found: Dataset = visit.found[key]
    return found


@dataclass(frozen=True, repr=False)
class _Asking:
    name: str
    token: str
    deadline: float

    def dataset(self, revision: str) -> Dataset:
        info = self._tried(lambda: self._info(revision))
        files = [File(sibling.rfilename, sibling.size or 0) for sibling in info.siblings or ()]
        layout = arrange(files, _card(info))
        found = _described(info, layout)
        scripted = f"{self.name.split('/')[1]}.py" in {file.path for file in files}
        if (scripted or not layout.configs) and revision != PARQUET:
            found = self._copy(info, scripted=scripted)
        elif not layout.configs:
            raise _unreadable(self.name, scripted=False)
        if found.gated:
            self._tried(lambda: self._may_read(found))
        return found

    def _copy(self, info: Any, *, scripted: bool) -> Dataset:
        """The set as the hub has copied it to parquet."""
        not_there = access.library().errors.RevisionNotFoundError
        try:
            copy = self._info(PARQUET)
        except not_there as error:
            raise _unreadable(self.name, scripted=scripted) from error
        except wording.failures() as error:
            raise self._sentence(error) from error
        layout = arrange(
            [File(sibling.rfilename, sibling.size or 0) for sibling in copy.siblings or ()], {}
        )
        if not layout.configs:
            raise _unreadable(self.name, scripted=scripted)
        why = (
            "It comes as a script, which is never run"
            if scripted
            else "Its own files can't be read here"
        )
        return replace(
            _described(info, layout),
            sha=copy.sha,
            notes=(*layout.notes, f"{why}: the hub's own parquet copy is read."),
        )

    def _info(self, revision: str) -> Any:
        api = access.library().HfApi(endpoint=access.endpoint(), token=self.token or False)
        return api.dataset_info(
            self.name, revision=revision or None, timeout=self._left(), files_metadata=True
        )

    def _may_read(self, dataset: Dataset) -> None:
        """A gated set is listed for everybody; whether its files open shows only when one is asked for."""
        hub = access.library()
        first = next(iter(dataset.splits().values())).files[0]
        url = hub.hf_hub_url(
            self.name,
            first.path,
            repo_type="dataset",
            revision=dataset.sha,
            endpoint=access.endpoint(),
        )
        reply = hub.utils.get_session().head(
            url, headers=access.headers(self.token), timeout=self._left(), follow_redirects=False
        )
        hub.utils.hf_raise_for_status(reply)

    def _tried(self, work: Callable[[], T]) -> T:
        """A kept connection may have been closed by the hub meanwhile: then a fresh one is tried, once."""
        closed = access.library().utils.httpx.RemoteProtocolError
        try:
            try:
                return work()
            except closed:
                return work()
        except UserError:
            raise
        except wording.failures() as error:
            raise self._sentence(error) from error

    def _sentence(self, error: Exception) -> UserError:
        return wording.sentence(error, self.name, with_token=bool(self.token))

    def _left(self) -> float:
        return max(self.deadline - time.monotonic(), 0.1)


def _described(info: Any, layout: Layout) -> Dataset:
    licence = _card(info).get("license") or ""
    return Dataset(
        id=str(info.id),
        sha=str(info.sha),
        configs=layout.configs,
        gated=bool(info.gated),
        private=bool(info.private),
        licence=", ".join(map(str, licence)) if isinstance(licence, list) else str(licence),
        description=str(info.description or "").strip(),
        notes=layout.notes,
    )


def _card(info: Any) -> Mapping[str, Any]:
    """The head of its README, which the hub has read already."""
    return (
        vars(info.card_data)
        if info.card_data is not None and not isinstance(info.card_data, dict)
        else {}
    )


def _unreadable(name: str, *, scripted: bool) -> UserError:
    if scripted:
        return UserError(
            f"`{name}` comes as a script, which is never run here, and the hub has no parquet copy of it; choose another data set."
        )
    return UserError(
        f"`{name}` has no file that can be read here (.parquet, .jsonl, .json, .csv, .tsv, .txt); choose another data set."
    )


def _within(seconds: float, work: Callable[[], T]) -> T:
    """What `work` gives or raises, if it does in time; else it is left alone to end when it will.

    No setting of a client bounds a whole exchange: a name that is looked up for long, or a reply that comes a byte at a time.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # handed on to the one who waits
            future.set_exception(error)

    threading.Thread(target=run, daemon=True, name=f"hub {os.getpid()}").start()
    return future.result(timeout=seconds)
