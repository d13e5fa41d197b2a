"""What a visitor may write for a data set. Asks nobody: a name that is refused here costs no request."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from s2s.config import UserError
from s2s.hub.access import endpoint

HOSTS = ("huggingface.co", "www.huggingface.co", "hf.co")
PART = r"(?!.*(?:--|\.\.|\.git$))[A-Za-z0-9_](?:[\w.-]*[A-Za-z0-9_])?"  # as the hub has it
LONGEST = 96  # characters, as the hub has it


def check(name: str) -> str:
    """`owner/name` from what was written: that, the address of a data set's page, or `hf://datasets/owner/name`.

    Raises UserError for anything else: paths, other hosts, formats, names that the hub cannot have.
    """
    parts = _bare(name.strip()).rstrip("/").split("/")
    if (
        len(parts) != 2
        or len("/".join(parts)) > LONGEST
        or not all(re.fullmatch(PART, part, re.ASCII) for part in parts)
    ):
        raise refused(name)
    return "/".join(parts)


def check_revision(revision: str) -> str:
    """A commit, a branch or a tag; empty is the newest. Raises UserError for what can be none."""
    if revision and (not re.fullmatch(r"\w[\w./-]{0,119}", revision, re.ASCII) or ".." in revision):
        raise UserError(
            f"`{revision[:60]}` can be no revision; give the 40 hexadecimal digits of a commit, or a branch."
        )
    return revision


def refused(name: str) -> UserError:
    """The sentence for what is no name."""
    shown = f"`{name.strip()[:60]}`" if name.strip() else "Nothing"
    return UserError(
        f"{shown} is no data set's name; write it as owner/name, for example Helsinki-NLP/opus_books, or paste the address of its page."
    )


def _bare(name: str) -> str:
    """Without the front of an address and what its page adds behind the name; another host is left to be refused."""
    if name.startswith("hf://datasets/"):
        return name.removeprefix("hf://datasets/").partition("@")[0]
    if not re.match(r"https?://", name):
        return name
    try:
        address = urlsplit(name)
        ours = address.netloc in (*HOSTS, urlsplit(endpoint()).netloc)
    except ValueError:  # brackets that enclose no address
        return name
    parts = address.path.strip("/").split("/")
    return "/".join(parts[1:3]) if ours and parts[0] == "datasets" else name
