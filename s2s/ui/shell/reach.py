"""Who can open a link of this server, by the name in its address."""

from ipaddress import ip_address
from urllib.parse import urlsplit

LOCAL_HELP = (
    "You opened the dashboard by an address that means “this computer” wherever it is used: on another computer the"
    " link leads to that computer itself. To send a link, open the dashboard by this computer's name or address in its"
    " network, or host it, as the documentation says."
)


def is_local(url: str) -> bool:
    """Whether only this computer can open it."""
    name = (urlsplit(url).hostname or "").rstrip(".")
    try:
        address = ip_address(name)
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
    return address.is_loopback or address.is_unspecified


def reach(url: str) -> str:
    """In words, who can open a link: `only on this computer`."""
    return (
        "only on this computer" if is_local(url) else "on any computer that can reach this server"
    )
