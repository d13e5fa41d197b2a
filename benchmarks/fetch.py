"""`python -m benchmarks.fetch`: where the datasets of the benchmarks come from; fetch what is missing, check the rest.

Files go to the folder in `S2S_TEST_DATA`, a folder per dataset, each file with the digest that it had when the figures
in benchmarks/results were measured. A file that is there is never replaced. `--check` fetches nothing. `--server URL`
takes another server with the same paths, such as a mirror.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from benchmarks.serving import DATA

SERVER = "https://raw.githubusercontent.com"
PATIENCE = 60.0  # seconds without a byte


@dataclass(frozen=True)
class Dataset:
    """Where it is from, what may be done with it, and its files: our name -> its path there, and the sha256 of ours."""

    page: str
    publication: str
    terms: str
    commit: str
    files: Mapping[str, tuple[str, str]]
    by_hand: str = ""  # why nothing is fetched

    def address(self, server: str, path: str) -> str:
        return f"{server}/{self.page.removeprefix('https://github.com/')}/{self.commit}/{path}"


def _multi30k() -> Mapping[str, tuple[str, str]]:
    digests = {
        "train.en": "460a15fbd157e34a7a9957ee388c1ca247fe47af3ef25fb50442af6c274e0fc6",
        "train.de": "2c2b73fd2b548fbcde3a875e0a78d6ee94d498bfdee6bd3eae3945779e9ddf72",
        "train.fr": "5925a3c18f1587b6b54b87743106e6e8ab93618edb6f65d19eac0621f853a10d",
        "val.en": "1f2a23d992769b5b3d209b0a10dd0b77c08cceb1f20dfb97ed0aafa49d107227",
        "val.de": "660e09eb7e1da2f856ea13ee5ad3cf6d36b3d5b0b733c857e94c5747a3dfc660",
        "val.fr": "5304e444d842e962b2dda4d816b70b22a1765b15401642b7ca37a67477e708dc",
        "flickr2016.en": "399a4382932c1aadd3ceb9bef1008d388a64c76d4ae4e9d4728c6f4301cac182",
        "flickr2016.de": "4be6b5b3236b79c25475c6bb829800a7ce559e9ba7a1f6c2394fe4d40be46d16",
        "flickr2016.fr": "cb3160d69b002bb638e66cc7612fcd56cb0af82eadc9c142dedc438afb885ef6",
    }
    return MappingProxyType(
        {
            name: (f"data/task1/raw/{name.replace('flickr2016', 'test_2016_flickr')}.gz", digest)
            for name, digest in digests.items()
        }
    )


DATASETS: Mapping[str, Dataset] = MappingProxyType(
    {
        "multi30k": Dataset(
            "https://github.com/multi30k/dataset",
            "Elliott, Frank, Sima'an and Specia 2016, https://aclanthology.org/W16-3210; French: Elliott, Frank,"
            " Barrault, Bougares and Specia 2017, https://aclanthology.org/W17-4718",
            "for researchers and educators, non-commercial research and education only; not to be passed on",
            "a3d2e0d26b56f3846f66a952536ffed4e401d05a",
            _multi30k(),
        ),
        "scan": Dataset(
            "https://github.com/brendenlake/SCAN",
            "Lake and Baroni 2018, https://arxiv.org/abs/1711.00350",
            "BSD license",
            "c4b756cb",
            MappingProxyType(
                {
                    "tasks.txt": (
                        "tasks.txt",
                        "d824c7d9e9149ba497e25f701981dac79954e04bf670d22e5c209f076ac6c89f",
                    ),
                    "tasks_train_simple.txt": (
                        "simple_split/tasks_train_simple.txt",
                        "941bb8a088c5f53ceff12fde902dc008933cf0c4203cc672c47b5f79d73262dd",
                    ),
                    "tasks_test_simple.txt": (
                        "simple_split/tasks_test_simple.txt",
                        "1fe1c8f5a19d0dc40e41bab94278f45f66f3dc415a978bd29855a23440610fc6",
                    ),
                }
            ),
        ),
        "cogs": Dataset(
            "https://github.com/najoungkim/COGS",
            "Kim and Linzen 2020, https://aclanthology.org/2020.emnlp-main.731",
            "MIT license",
            "165a7b66",
            MappingProxyType(
                {
                    "train.tsv": (
                        "data/train.tsv",
                        "220b3804b562c0156ee986eff1bdd15c27e52142549362a64f57baf86e304c78",
                    ),
                    "dev.tsv": (
                        "data/dev.tsv",
                        "ab66388a309c7ac1ad210c781a6a0ce12281a9ef24619a12422a752cef61bc21",
                    ),
                }
            ),
        ),
        "cmudict": Dataset(
            "https://github.com/cmusphinx/cmudict",
            "The CMU Pronouncing Dictionary, http://www.speech.cs.cmu.edu/cgi-bin/cmudict",
            "BSD license",
            "0f8072f8",
            MappingProxyType(
                {
                    "cmudict.dict": (
                        "cmudict.dict",
                        "81917843c7f44ce2b094ac63873c2c7a4cf802040792c455ba3ca406891c3d22",
                    ),
                    "cmudict.phones": (
                        "cmudict.phones",
                        "ffb588a5e55684723582c7256e1d2f9fadb130011392d9e59237c76e34c2cfd6",
                    ),
                }
            ),
        ),
        "e2e": Dataset(
            "https://github.com/tuetschek/e2e-dataset",
            "Novikova, Dusek and Rieser 2017, https://aclanthology.org/W17-5525",
            "CC BY-SA 4.0",
            "ab0d967d",
            MappingProxyType(
                {
                    "devset.csv": (
                        "devset.csv",
                        "fc26b78cdb849c80545f513b223d1e051138b43882eeb79e3eb153e689c864f9",
                    )
                }
            ),
        ),
        "hansards-align": Dataset(
            "https://github.com/uva-slpl/nlp2",
            "Och and Ney 2000, https://aclanthology.org/P00-1056; the shared task: Mihalcea and Pedersen 2003,"
            " https://aclanthology.org/W03-0301",
            "given out for research by the shared task, without a license",
            "master",
            MappingProxyType(
                {
                    "dev.e": (
                        "resources/project_neuralibm/data/validation/dev.e.gz",
                        "56a871f16eafc2b44f9ba5942a636e2949baf288f228561f1889d821c04398d0",
                    ),
                    "dev.f": (
                        "resources/project_neuralibm/data/validation/dev.f.gz",
                        "fb337c8e86297a538ebe533f9d283dc6e186961ab9ca032257bc1c1769f71b6e",
                    ),
                    "dev.wa": (
                        "resources/project_neuralibm/data/validation",
                        "1c04fe099aa83c1ef0fd1044547e34684618f2362e20da8dca3d94cb3b096f74",
                    ),
                }
            ),
            by_hand="it has no license, so nothing is fetched; see the page",
        ),
    }
)


class FetchError(Exception):
    """A sentence for the person who fetches."""


def state(name: str, file: str, folder: Path) -> str:
    """`ok`, `missing`, or `differs`."""
    path = folder / name / file
    if not path.is_file():
        return "missing"
    return "ok" if _digest(path.read_bytes()) == DATASETS[name].files[file][1] else "differs"


def fetch(name: str, file: str, folder: Path, server: str = SERVER) -> None:
    """Fetch one file, whole or not at all. Raises FetchError where it cannot be had, or is another one."""
    path, digest = DATASETS[name].files[file]
    address = DATASETS[name].address(server, path)
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            content: bytes = answer.read()
        content = gzip.decompress(content) if path.endswith(".gz") else content
    except (OSError, EOFError) as error:
        raise FetchError(f"{address} could not be fetched: {error}.") from error
    if _digest(content) != digest:
        raise FetchError(
            f"{address} is not the file of the measurements: its sha256 is {_digest(content)}."
        )
    target = folder / name / file
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{file}.part")
    part.write_bytes(content)
    part.replace(target)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def complete(name: str, folder: Path, server: str, *, may_fetch: bool) -> list[str]:
    """Check one dataset, fetching what is missing; prints a line per file, returns what is wrong."""
    row = DATASETS[name]
    print(f"{name}: {row.page}\n  {row.publication}\n  terms: {row.terms}")
    wrong = []
    for file in row.files:
        found = state(name, file, folder)
        if found == "missing" and may_fetch and not row.by_hand:
            try:
                fetch(name, file, folder, server)
                found = "fetched"
            except FetchError as error:
                found = f"missing. {error}"
        elif found == "missing" and row.by_hand:
            found = f"missing: {row.by_hand}"
        print(f"  {file}: {found}")
        if found not in ("ok", "fetched"):
            wrong.append(f"{name}/{file}")
    return wrong


def main(arguments: Sequence[str] | None = None) -> None:
    """Every dataset, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(DATASETS))
    parser.add_argument("--folder", type=Path, default=DATA, help="instead of S2S_TEST_DATA")
    parser.add_argument("--server", default=SERVER)
    parser.add_argument("--check", action="store_true", help="fetch nothing")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.names) - set(DATASETS):
        parser.error(f"there is no dataset {', '.join(unknown)}; there are {', '.join(DATASETS)}")
    wrong = [
        file
        for name in asked.names or DATASETS
        for file in complete(name, asked.folder, asked.server, may_fetch=not asked.check)
    ]
    if wrong:
        raise SystemExit(f"Missing or different: {', '.join(wrong)}.")


if __name__ == "__main__":
    main()
