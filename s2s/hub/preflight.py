"""What is known about a dataset before any of it is read: one request, a few seconds at most."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass, replace
from typing import Any

from s2s.config import UserError, choose
from s2s.hub import access, failures
from s2s.hub.layout import Configs, File, Layout, Split, arrange
from s2s.hub.lookup import Lookup, card, within, words
from s2s.hub.names import check, check_newest, check_revision

SECONDS = 4.0
PARQUET = "refs/convert/parquet"  # the branch where the Hub keeps a parquet copy of many datasets


@dataclass(frozen=True)
class Dataset:
    """A dataset at revision `sha`. `configs` has at least one configuration, the default first.

    `license` and `description` are the owner's words, empty if there are none.
    """

    id: str
    sha: str
    configs: Configs
    gated: bool = False
    private: bool = False
    license: str = ""
    description: str = ""
    notes: tuple[str, ...] = ()

    def splits(self, config: str = "") -> Mapping[str, Split]:
        """The splits of a configuration, by default of the first. Raises UserError for an unknown one."""
        return choose(
            f"configuration of `{self.id}`", config or next(iter(self.configs)), self.configs
        )

    def split(self, config: str, split: str) -> Split:
        """One split. Raises UserError for an unknown configuration or split, with the nearest names."""
        return choose(f"split of `{self.id}`", split, self.splits(config))


def preflight(
    name: str, token: str = "", *, revision: str = "", seconds: float = SECONDS
) -> Dataset:
    """The files of a dataset and their revision, within `seconds` whatever the Hub does.

    One request; one more for a gated dataset, and one if its files cannot be read, to look for the Hub's parquet copy.
    Raises UserError with one sentence for each possible failure.
    """
    address, name = name, check(name)
    check_newest(address, revision)
    token = access.sane(token)
    revision = check_revision(revision)
    access.library()  # imported before the clock starts
    lookup = _Lookup(name, token, time.monotonic() + seconds)
    try:
        return within(seconds, lambda: lookup.dataset(revision))
    except Late as error:
        raise failures.slow(f"the dataset `{name}`") from error


def look_up(name: str, revision: str = "") -> Dataset:
    """`preflight` with the token of `using`; in that context, a dataset is looked up once and keeps its revision."""
    visit = access.visit()
    key = (check(name), revision)
    if key not in visit.datasets:
        visit.datasets[key] = preflight(name, visit.token, revision=revision)
    found: Dataset = visit.datasets[key]
    return found


class _Lookup(Lookup):
    def dataset(self, revision: str) -> Dataset:
        info = self.request(lambda: self._info(revision))
        files = [File(sibling.rfilename, sibling.size or 0) for sibling in info.siblings or ()]
        layout = arrange(files, card(info))
        found = _dataset(info, layout)
        scripted = f"{self.name.split('/')[1]}.py" in {file.path for file in files}
        if scripted or not layout.configs:
            other = None if scripted else self._other(info, files)
            is_pinned = other and revision == info.sha  # what was read then is read again
            copy = None if is_pinned or revision == PARQUET else self._copy(info, scripted=scripted)
            found = copy or other or found
        if not found.configs:
            raise _unreadable(self.name, scripted=scripted)
        if found.gated:
            self.request(lambda: self._may_read(found))
        return found

    def _other(self, info: Any, files: list[File]) -> Dataset | None:
        layout = arrange(files, card(info), others=True)
        return _dataset(info, layout) if layout.configs else None

    def _copy(self, info: Any, *, scripted: bool) -> Dataset | None:
        not_there = access.library().errors.RevisionNotFoundError
        try:
            copy = self._info(PARQUET)
        except not_there:
            return None
        except failures.request_errors() as error:
            raise self.explain(error) from error
        layout = arrange(
            [File(sibling.rfilename, sibling.size or 0) for sibling in copy.siblings or ()], {}
        )
        if not layout.configs:
            return None
        why = "It is a script, which is never run" if scripted else "Its own files cannot be read"
        return replace(
            _dataset(info, layout),
            sha=copy.sha,
            notes=(*layout.notes, f"{why}: the Hub's parquet copy is read instead."),
        )

    def _info(self, revision: str) -> Any:
        api = access.library().HfApi(endpoint=access.endpoint(), token=self.token or False)
        return api.dataset_info(
            self.name, revision=revision or None, timeout=self.left(), files_metadata=True
        )

    def _may_read(self, dataset: Dataset) -> None:
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
            url, headers=access.headers(self.token), timeout=self.left(), follow_redirects=False
        )
        hub.utils.hf_raise_for_status(reply)


def _dataset(info: Any, layout: Layout) -> Dataset:
    return Dataset(
        id=str(info.id),
        sha=str(info.sha),
        configs=layout.configs,
        gated=bool(info.gated),
        private=bool(info.private),
        license=", ".join(words(card(info).get("license"))),
        description=str(info.description or "").strip(),
        notes=layout.notes,
    )


def _unreadable(name: str, *, scripted: bool) -> UserError:
    if scripted:
        return UserError(
            f"`{name}` is a script, which is never run here, and the Hub has no parquet copy of it;"
            " choose another dataset."
        )
    return UserError(
        f"`{name}` has no file that can be read here (.parquet, .arrow, .jsonl, .json, .csv, .tsv, .txt,"
        " .tmx, .xml, .zip, .tar); choose"
        " another dataset."
    )
