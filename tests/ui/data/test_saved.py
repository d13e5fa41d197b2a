"""Deleting a saved dataset: the button names it, asks twice, and counts the runs that need it."""

from s2s.config import PRESETS, asker, override
from s2s.data import files, saved_datasets
from s2s.jobs import training
from s2s.library import Library
from s2s.library.own import list_datasets
from s2s.links.share import pack
from s2s.ui.kit import cached
from tests.screen import link, opened, page_text
from tests.ui.data.uploading import PAIRS


def saved(text: str, name: str) -> str:
    return saved_datasets.save(files.from_pasted(text), name=name, owner=asker.LOCAL)


def test_the_button_names_its_dataset() -> None:
    first = saved("a ||| b", "mine")
    second = saved("c ||| d", "*theirs*")
    screen = opened("data", set=pack({"source": f"corpus:{first}"}))
    assert screen.button(key=f"delete text {first}").label == "Delete mine"
    screen.button(key=f"delete text {first}").click().run()
    assert not screen.exception
    assert [text.hash for text in list_datasets(asker.LOCAL)] == [second]
    assert f"delete text {first}" not in {each.key for each in screen.button}
    assert "train on" not in {
        each.key for each in screen.button
    }  # no other is chosen for the visitor
    screen.selectbox(key="saved").set_value(f"corpus:{second}").run()
    assert screen.button(key=f"delete text {second}").label == "Delete \\*theirs\\*"


def test_runs_that_need_a_dataset_are_counted() -> None:
    needed = saved("a ||| b\nc ||| d", "mine")
    spare = saved("c ||| d", "other")
    recipe = override(PRESETS["mini-t5"].recipe, {"train.steps": 5})
    for name in ("one", "two"):
        training.submit(
            training.RunRequest(
                recipe, f"corpus:{needed}", preset="mini-t5", name=name, owner=asker.LOCAL
            )
        )
    cached.refresh_runs()
    assert "2 waiting, training or stopped runs need it" in page_text(
        opened("data", set=pack({"source": f"corpus:{needed}"}))
    )
    assert "stopped run" not in page_text(opened("data", set=pack({"source": f"corpus:{spare}"})))


def test_a_saved_dataset_can_be_linked_renamed_and_deleted() -> None:
    corpus = files.from_bytes([("pairs.tsv", PAIRS)])
    spec = f"corpus:{saved_datasets.save(corpus, name='mine', owner=asker.LOCAL)}"
    screen = opened("data", set=pack({"source": spec}))
    assert screen.segmented_control(key="origin").value == "Saved"
    assert "set=source" in link(screen)
    screen.text_input(key=f"name {spec.partition(':')[2]}").set_value("another name").run()
    assert list_datasets(asker.LOCAL)[0].name == "another name"
    assert screen.button(key=f"delete text {spec.partition(':')[2]}").label == "Delete another name"
    screen.button(key=f"delete text {spec.partition(':')[2]}").click().run()
    assert not screen.exception
    assert not list_datasets(asker.LOCAL)
    assert "No saved datasets yet" in page_text(screen)
    assert "There is no dataset" in page_text(opened("data", set=pack({"source": spec})))


def test_deleting_a_dataset_that_is_gone_is_no_exception() -> None:
    hash = saved_datasets.save(files.from_pasted("a ||| b"), name="mine", owner=asker.LOCAL)
    saved_datasets.save(files.from_pasted("c ||| d"), name="other", owner=asker.LOCAL)
    screen = opened("data", set=pack({"source": f"corpus:{hash}"}))
    saved_datasets.delete(Library(asker.LOCAL).dataset(hash, "delete"))
    screen.button(key=f"delete text {hash}").click().run()
    assert not screen.exception
