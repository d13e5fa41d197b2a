"""Markup and Markdown in sentences, tokens, names, notes, tags and links are shown, never interpreted."""

import random
import re
from pathlib import Path

import pytest

from s2s.config import PRESETS, override
from s2s.data import Corpus, Pair, profile, saved_datasets
from s2s.jobs import training
from s2s.library.own import annotate
from s2s.runs import runs_folder
from s2s.ui.kit import cached
from tests.conftest import TINY
from tests.data.reading import ProcessHere
from tests.hostile.markup import interpreted
from tests.screen import ROOT, opened

WORDS = (
    "<img/src=x/onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "<a/href='http://evil.example'>",
    "[a](http://evil.example)",
    "![a](http://evil.example/x.png)",
    ":material/bug_report:",
    ":red[x]",
    "$x^2$",
    "**b**",
    "`c`",
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A run that learned such words, with such a name, and its dataset."""
    path = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S2S_HOME", str(path))
        draw = random.Random(0)
        sides = [
            (" ".join(draw.sample(WORDS, 4)), " ".join(draw.sample(WORDS, 3))) for _ in "a" * 60
        ]
        corpus = Corpus("u", "train", tuple(Pair(*pair) for pair in sides), (f"Note {WORDS[0]}.",))
        name = " ".join(WORDS[:3])[:80]
        dataset = saved_datasets.save(corpus, name=name, owner="local")
        recipe = override(PRESETS["small"].recipe, {**TINY, "train.steps": 4})
        run = "evilevilevilevil"
        request = training.RunRequest(recipe, f"corpus:{dataset}", name=" ".join(WORDS[3:8]))
        list(training.run(training.start(request, runs_folder() / run)))
        annotate(run, "local", tags=[word[:40] for word in WORDS], comment="\n".join(WORDS))
        return path, run, dataset


def test_no_page_interprets_what_people_and_models_write(
    home: tuple[Path, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, run, dataset = home
    monkeypatch.setenv("S2S_HOME", str(path))
    monkeypatch.setattr(profile, "Process", ProcessHere)
    cached.refresh_runs()
    views = {
        "": {},
        "compare": {"c1": f"{run}!beam!", "c2": f"{WORDS[0]}@{WORDS[3]}!{WORDS[5]}!{WORDS[6]}:1"},
        "attention": {"layer": WORDS[0], "head": WORDS[3], "kind": WORDS[5], "step": WORDS[6]},
        "walkthrough": {},
        "runs": {},
        "data": {"set": f"source:corpus%3A{dataset},view:Cleaning"},
    }
    for page, given in views.items():
        screen = opened(page, **{"run": f"x · {run}", "src": " ".join(WORDS[:7]), **given})
        assert not screen.exception
        assert not interpreted(screen), page
        if page == "runs":
            assert "bug_report" in str(screen.main)  # so the test saw the words


def test_components_write_text_and_no_page_allows_html() -> None:
    scripts = [path.read_text() for path in ROOT.glob("s2s/ui/canvas/*.js")]
    ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc"
    assert len(scripts) > 5
    assert not [script[:80] for script in scripts if re.search(ways, script)]
    pages = [path for folder in ("s2s", "pages") for path in (ROOT / folder).rglob("*.py")]
    assert not [path for path in pages if "unsafe_allow" in path.read_text()]
