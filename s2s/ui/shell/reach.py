"""Who can open a link of this server, by the name in its address."""

from urllib.parse import urlsplit

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
LOCAL_HELP = (
    "Its address begins with a name that every computer uses for itself, so nobody else can open it. On a computer that"
    " others reach by a name of its own they can: the documentation says how to host the dashboard."
)


def is_local(url: str) -> bool:
    """Whether only this computer can open it."""
    return urlsplit(url).hostname in LOCAL


def reach(url: str) -> str:
    """`only on this computer`, to follow what the link opens."""
    return (
        "only on this computer" if is_local(url) else "on any computer that can reach this server"
    )
