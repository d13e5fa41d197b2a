"""One row of Compare as the address has it, `c1` to `c6`: a run, a checkpoint and a strategy with its settings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from s2s.config import Config, UserError, choose, flat, keys, settings_of, values_of_texts
from s2s.decode import STRATEGIES, GenerationConfig
from s2s.links import share
from s2s.links.share import Column
from s2s.runs import Run
from s2s.ui.kit import cached, forms, in_view, pickers

DEFAULT = "beam"
FIRST_KEY = "c1"  # the run of this row is the page's
OWN_SETTINGS = ("max_new_tokens",)  # of all strategies, but shown among a strategy's own


@dataclass(frozen=True)
class RowChoice:
    """A row of Compare: run, checkpoint, strategy and settings; `run` is None where it cannot be opened."""

    run: Run | None
    run_id: str
    strategy: str
    settings: dict[str, Any]  # that are not as the run starts

    @property
    def config(self) -> GenerationConfig:
        """The complete settings for this model. Raises UserError where they are invalid together."""
        if self.run is None:
            raise UserError(f"The run {self.run_id[:40]} cannot be opened.")
        return self.run.configured(self.strategy, self.settings)[1]

    @property
    def error(self) -> UserError | None:
        try:
            self.config  # noqa: B018
        except UserError as error:
            return error
        return None

    @property
    def name(self) -> str:
        return cached.named(self.run) if self.run else self.run_id

    @property
    def asked(self) -> str:
        """Strategy and settings as a question names them, without spaces."""
        packed = share.pack(forms.to_address(self.settings)).replace(" ", "%20")
        return f"{self.strategy}!{packed}" if packed else self.strategy


def written(best: Run, step: int, strategy: str, settings: dict[str, Any]) -> str:
    """A row as text for the address, with all of the strategy's own settings: they stay what they are now."""
    values = linked_settings(best.starting(strategy)) | settings
    return str(Column(best.folder.id, str(step), strategy, forms.to_address(values)))


def default(run_id: str) -> str:
    """The row, as text, that Compare starts with where a link names none."""
    try:
        best = cached.open_run(run_id)
    except UserError:  # which the row says
        return str(Column(run_id))
    return written(best, best.step, DEFAULT, {})


def linked_settings(config: Config) -> dict[str, Any]:
    """The settings that a link writes even at their defaults: a strategy's own, since shared ones do nothing by
    default.
    """
    values = flat(config)
    shared = keys(GenerationConfig)
    return {
        name: values[name]
        for name in [*(name for name in values if name not in shared), *OWN_SETTINGS]
    }


def read(text: str) -> RowChoice:
    """What a row's text in the session says, which `from_link` has written."""
    given = Column.read(text)
    try:
        best = cached.open_run(given.run)
        is_best = given.step in ("", str(best.step))
        run = best if is_best else cached.open_run(given.run, int(given.step))
    except UserError:
        return RowChoice(None, given.run, given.strategy, {})
    in_view.add_run(given.run)
    config = best.starting(given.strategy)
    usual, declared = flat(config), settings_of(type(config))
    changed = {
        name: value
        for name, value in values_of_texts(type(config), given.settings).items()
        if name in usual and value != usual[name] and isinstance(value, declared[name].types)
    }
    return RowChoice(run, given.run, given.strategy, changed)


def from_link(text: str, key: str, page_run: str) -> str:
    """The row, as text, that a link asks for; what does not exist is reported and left out."""
    given = Column.read(text)
    is_here = given.run in ("", page_run) or (key != FIRST_KEY and given.run in cached.runs())
    if not is_here:
        _notify_gone(given.run, page_run)
    owner = given.run if given.run and is_here else page_run
    strategy = given.strategy
    try:
        choose("strategy", strategy, STRATEGIES)
    except UserError as error:
        pickers.notify(f"{error} {DEFAULT} is shown instead.")
        strategy = DEFAULT
    try:
        best = cached.open_run(owner)
    except UserError:  # which the row says
        return str(replace(given, run=owner, step="", strategy=strategy))
    config = best.starting(strategy)
    settings, lost = forms.from_address(config, given.settings)
    for sentence in lost:
        pickers.notify(sentence)
    step = pickers.step_of(best, given.step if is_here else "")
    declared = settings_of(type(config))
    for name, value in settings.items():
        if type(value) is int and float in declared[name].types:
            settings[name] = float(value)  # as its widget has it
    return written(best, step, strategy, settings)


def of_run(text: str, run_id: str) -> str:
    """The same row with another run at its best checkpoint; unchanged settings take that run's defaults."""
    choice = read(text)
    try:
        best = cached.open_run(run_id)
        return written(best, best.step, choice.strategy, choice.settings)
    except UserError:
        return str(replace(Column.read(text), run=run_id, step=""))


def with_settings(text: str, **settings: Any) -> str:
    given = Column.read(text)
    return str(replace(given, settings={**given.settings, **forms.to_address(settings)}))


def _notify_gone(run: str, page_run: str) -> None:
    pickers.notify(
        f"{pickers.missing('run', run)} {cached.title(page_run)} is shown instead.",
        pickers.ANOTHER_RUN,
    )
