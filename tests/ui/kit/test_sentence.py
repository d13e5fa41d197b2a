from tests.screen import box, opened


def test_an_example_outlives_a_change_of_model_where_the_new_one_knows_its_words() -> None:
    screen = opened(run="demo-en-fr")
    screen.button(key="chip1").click().run()
    example = box(screen)
    screen.selectbox(key="run").select("demo-en-es").run()
    assert not screen.exception
    assert box(screen) == example


def test_an_example_gives_way_to_one_of_a_model_that_cannot_read_it() -> None:
    screen = opened(run="demo-tasks")
    first = box(screen)
    screen.selectbox(key="run").select("demo-en-fr").run()
    assert not screen.exception
    assert box(screen) not in ("", first)
