"""What a visitor may write for a dataset or a model. Sends no request: an invalid name costs nothing."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from s2s.config import UserError, shortened
from s2s.hub.access import endpoint

HOSTS = ("huggingface.co", "www.huggingface.co", "hf.co")
PART = r"(?!.*(?:--|\.\.|\.git$))[A-Za-z0-9_](?:[\w.-]*[A-Za-z0-9_])?"  # as on the Hub
REVISION = re.compile(
    r"^hf://datasets/[^@]*@([^/?#]+)|^https?://.*?/(?:tree|blob|resolve|raw|commit)/((?:refs/\w+/)?[^/?#]+)"
)
LONGEST = 96  # characters, as on the Hub
NOT_OWNERS = (
    "datasets",
    "spaces",
    "docs",
    "collections",
    "papers",
    "blog",
    "api",
)  # pages of the Hub


def check(name: str) -> str:
    """`owner/name` from that form, from the address of a dataset's page, or from `hf://datasets/owner/name`.

    Raises UserError for anything else: paths, other hosts, formats, names that cannot exist on the Hub.
    """
    parts = _bare(name.strip()).rstrip("/").split("/")
    if (
        len(parts) != 2
        or len("/".join(parts)) > LONGEST
        or not all(re.fullmatch(PART, part, re.ASCII) for part in parts)
    ):
        raise refused(name)
    return "/".join(parts)


def check_model(name: str) -> str:
    """`owner/name`, or an old model's bare `name`, from that form or from the address of a model's page.

    Raises UserError for anything else, as `check`.
    """
    parts = _bare_model(name.strip()).rstrip("/").split("/")
    is_name = all(re.fullmatch(PART, part, re.ASCII) for part in parts)
    if len(parts) > 2 or len("/".join(parts)) > LONGEST or not is_name:
        shown = f"`{name.strip()[:60]}`" if name.strip() else "Nothing"
        raise UserError(
            f"{shown} is not a model's name; write it as owner/name, for example Helsinki-NLP/opus-mt-en-de,"
            " or paste the address of its page."
        )
    return "/".join(parts)


def check_revision(revision: str) -> str:
    """A commit, a branch or a tag; empty for the newest. Raises UserError for an invalid one."""
    if revision and (not re.fullmatch(r"\w[\w./-]{0,119}", revision, re.ASCII) or ".." in revision):
        raise UserError(
            f"`{revision[:60]}` is not a valid revision; give the 40 hexadecimal digits of a commit, or a branch."
        )
    return revision


def check_newest(name: str, revision: str = "") -> None:
    """Raises UserError for the address of an older version where no revision is given: the newest would be read."""
    found = REVISION.search(name.strip())
    named = (found[1] or found[2]) if found else "main"
    if named != "main" and not revision:
        raise UserError(
            f"The address names the revision `{shortened(named, 60)}`, but only the newest is read here; give"
            " owner/name alone, or name the revision on the command line."
        )


def refused(name: str) -> UserError:
    shown = f"`{name.strip()[:60]}`" if name.strip() else "Nothing"
    return UserError(
        f"{shown} is not a dataset's name; write it as owner/name, for example Helsinki-NLP/opus_books,"
        " or paste the address of its page."
    )


def _bare(name: str) -> str:
    if name.startswith("hf://datasets/"):
        return name.removeprefix("hf://datasets/").partition("@")[0]
    parts = _path(name)
    return "/".join(parts[1:3]) if parts[:1] == ["datasets"] else name


def _bare_model(name: str) -> str:
    parts = _path(name)
    return "/".join(parts[:2]) if parts and parts[0] not in NOT_OWNERS else name


def _path(name: str) -> list[str]:
    if not re.match(r"https?://", name):
        return []
    try:
        address = urlsplit(name)
        is_ours = address.netloc in (*HOSTS, urlsplit(endpoint()).netloc)
    except ValueError:  # brackets around something that is not an address
        return []
    return address.path.strip("/").split("/") if is_ours else []
