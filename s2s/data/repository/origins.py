"""Where the files of a dataset are: on the Hub, or in a folder of this computer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from s2s import hub
from s2s.config import UserError


class Origin(Protocol):
    """A source of files that opens files, and describes itself to another process."""

    @property
    def name(self) -> str:
        """The dataset's name in errors."""

    def open(self, file: hub.File) -> BinaryIO:
        """A seekable file. Reading raises UserError where it fails or the budget is used up."""

    def order(self) -> dict[str, Any]:
        """What `from_order` needs in another process, as JSON."""

    def spend(self, n_bytes: int) -> None:
        """Charges what another process has downloaded."""


@dataclass(frozen=True, repr=False)
class HubOrigin:
    """A dataset on the Hub, read with a token under the limits of one download."""

    dataset: hub.Dataset
    token: str
    download: hub.Budget

    @property
    def name(self) -> str:
        """The dataset's `owner/name`."""
        return self.dataset.id

    def open(self, file: hub.File) -> BinaryIO:
        """The file at the dataset's revision, in ranges."""
        return hub.open_file(self.dataset, file.path, token=self.token, budget=self.download)

    def order(self) -> dict[str, Any]:
        """The origin as JSON for `from_order`: dataset, revision, token, and the download budget left."""
        return {
            "id": self.dataset.id,
            "sha": self.dataset.sha,
            "token": self.token,
            "bytes": self.download.bytes - self.download.spent,
            "seconds": self.download.left(self.name),
        }

    def spend(self, n_bytes: int) -> None:
        """Charges the download budget."""
        self.download.spend(n_bytes, self.name)


@dataclass(frozen=True)
class FolderOrigin:
    folder: Path
    name: str

    def open(self, file: hub.File) -> BinaryIO:
        try:
            return (self.folder / file.path).open("rb")
        except OSError as error:
            raise UserError(
                f"`{self.name}/{file.path}` cannot be read ({error.strerror}); check its permissions."
            ) from error

    def order(self) -> dict[str, Any]:
        return {"folder": str(self.folder.resolve()), "name": self.name}

    def spend(self, n_bytes: int) -> None:
        """Reading a local file downloads nothing."""


def from_order(order: Mapping[str, Any]) -> Origin:
    """The origin that `Origin.order` described."""
    if "folder" in order:
        return FolderOrigin(Path(order["folder"]), order["name"])
    dataset = hub.Dataset(order["id"], order["sha"], {})
    return HubOrigin(dataset, order["token"], hub.Budget(order["bytes"], order["seconds"]))
