"""What the tests of the views of Steps share."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from streamlit.testing.v1 import AppTest

from tests.screen import component, link, opened

DEMO = "demo-en-fr"
TEXT = "the red house"


def steps(view: str, /, **params: str) -> AppTest:
    settings = ",".join(
        f"{key}:{value}" for key, value in {"view": view, **params}.items() if key != "tgt"
    )
    tgt = {"tgt": params["tgt"]} if "tgt" in params else {}
    return opened("steps", run=DEMO, src=TEXT, set=settings, **tgt)


def again(screen: AppTest) -> AppTest:
    """What the Share button's link opens."""
    return opened(
        "steps", **{key: value[-1] for key, value in parse_qs(urlsplit(link(screen)).query).items()}
    )


def strip(screen: AppTest) -> list[dict[str, Any]]:
    """The strip's cells."""
    return list(component(screen, "tokens")["tokens"])


def pressed(screen: AppTest, label: str) -> AppTest:
    next(button for button in screen.button if button.label.startswith(label)).click().run()
    assert not screen.exception
    return screen
