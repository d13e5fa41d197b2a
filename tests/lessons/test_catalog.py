"""Which step a link names."""

import pytest

from s2s.config import PRESETS, UserError
from s2s.lessons import LESSONS, all_progress, find_step, note_step, rebuilt_in

FIRST = LESSONS["five-minutes"]


def test_a_step_knows_its_neighbors_and_is_written_as_it_is_read() -> None:
    at = find_step("five-minutes.2")
    assert (at.lesson, at.number, at.step) == (FIRST, 2, FIRST.steps[1])
    assert [str(at.before), str(at.after)] == ["five-minutes.1", "five-minutes.3"]
    assert find_step(str(at)) == at
    assert find_step("five-minutes").number == 1
    assert find_step("five-minutes.1").before is None
    assert find_step(f"five-minutes.{len(FIRST.steps)}").after is None


def test_links_and_progress_of_a_longer_lesson_lead_to_its_steps_of_today() -> None:
    halves = [LESSONS["way-of-a-sentence"], LESSONS["way-of-a-translation"]]
    links = [f"way-of-a-sentence.{number}" for number in range(1, 13)]
    steps = [step for lesson in halves for step in lesson.steps]
    assert [find_step(link).step for link in links] == steps
    note_step("way-of-a-sentence", 6)
    note_step("way-of-a-sentence", 8, "right")
    note_step("way-of-a-translation", 2, "wrong")
    found = {id: dict(mine.answers) for id, mine in all_progress().items()}
    assert found == {"way-of-a-sentence": {6: ""}, "way-of-a-translation": {2: "right"}}


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("five-minute.1", "There is no lesson `five-minute` here; perhaps `five-minutes` is meant"),
        ("<b>", "There is no lesson `<b>` here"),
        (".2", "There is no lesson"),
        ("five-minutes.9", "`five-minutes` has no step `9`; its steps are 1 to 5"),
        ("five-minutes.0", "has no step `0`"),
        ("way-of-a-sentence.13", "`way-of-a-sentence` has no step `13`; its steps are 1 to 6"),
        ("five-minutes.", "has no step"),
        ("five-minutes.²", "has no step"),
        ("five-minutes.99999999999", "has no step"),
    ],
)
def test_what_is_not_there_is_a_sentence(written: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        find_step(written)


def test_every_preset_that_rebuilds_a_tutorial_has_its_step() -> None:
    for name, row in PRESETS.items():
        step = rebuilt_in(name)
        assert (step is not None) == bool(row.differs)
        assert step is None or name in step.step.view.values["set"]
    steps = {rebuilt_in(name).number for name, row in PRESETS.items() if row.differs}
    assert steps == {1, 2, 3, 4, 5}
