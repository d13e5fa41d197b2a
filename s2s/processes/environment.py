"""The environment of the processes that this program starts: what each needs, and nothing else.

They open what visitors bring, and no secret, key or address of the server is there to be found. Standard library only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType

# Names and patterns of names.
SYSTEM = (
    *("HOME", "LANG", "LANGUAGE", "LC_*", "LOGNAME", "PATH", "TEMP", "TMP", "TMPDIR", "TZ", "USER"),
    *("DYLD_*", "LD_*", "PYTHON*", "VIRTUAL_ENV", "XDG_*"),
    *(
        "APPDATA",
        "COMSPEC",
        "LOCALAPPDATA",
        "PATHEXT",
        "PROGRAMDATA",
        "SYSTEM*",
        "USERPROFILE",
        "WINDIR",
    ),
)
COMPUTING = (
    *(
        "GOMP_*",
        "KMP_*",
        "MALLOC_*",
        "MKL_*",
        "NUMBER_OF_PROCESSORS",
        "NUMEXPR_*",
        "OMP_*",
        "OPENBLAS_*",
    ),
    *(
        "CUBLAS_*",
        "CUDA_*",
        "GLOO_*",
        "HIP_*",
        "HSA_*",
        "NCCL_*",
        "NVIDIA_*",
        "PYTORCH_*",
        "ROCR_*",
        "TORCH*",
    ),
)
OURS = ("S2S_DEBUG", "S2S_HOME", "S2S_HOSTED", "S2S_MAX_*", "S2S_TEST_DATA", "SACREBLEU")
ANYTHING = (*SYSTEM, *COMPUTING, *OURS)
CERTIFICATES = ("CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR", "SSL_CERT_FILE")
# The Hub. A proxy's address may hold a password, which is needed there.
NETWORK = (
    *("HF_DEBUG", "HF_ENDPOINT", "HF_HOME", "HF_HUB_OFFLINE"),
    *CERTIFICATES,
    *("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"),
)
# Of workers and jobs.
QUEUE = (
    *("PG*", "S2S_DATABASE_URL", "S2S_EXPIRE_DAYS", "S2S_LEASE_SECONDS"),
    *("S2S_WORKER", "S2S_WORKER_NAME", "S2S_WORKER_SLOTS"),
)
HIDDEN = re.compile("KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
NOTHING_MORE: Mapping[str, str] = MappingProxyType({})
ROOT = Path(__file__).parents[2]


def for_reading(
    more: Mapping[str, str] = NOTHING_MORE, *, from_hub: bool = False
) -> dict[str, str]:
    """The environment of a process that reads files or decodes; `from_hub`: it reads from the Hub."""
    return _chosen((*ANYTHING, *NETWORK) if from_hub else ANYTHING) | _path() | dict(more)


def for_jobs(more: Mapping[str, str] = NOTHING_MORE) -> dict[str, str]:
    """The environment of a worker, and of a process that does a job: with the database, too."""
    return _chosen((*ANYTHING, *NETWORK, *QUEUE), needed=("PG*",)) | _path() | dict(more)


def _chosen(patterns: tuple[str, ...], needed: tuple[str, ...] = ()) -> dict[str, str]:
    """This process's own variables of these names; what looks like a secret only if it is needed."""
    return {
        name: value
        for name, value in os.environ.items()
        if _matches(name, patterns) and (_matches(name, needed) or not HIDDEN.search(name))
    }


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name.upper(), pattern) for pattern in patterns)


def _path() -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))}
