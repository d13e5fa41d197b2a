"""Rights, in one matrix: whoever asks, however they ask, and whatever somebody else has asked before."""

from __future__ import annotations

import io
import json
import logging
import shlex
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import s2s
from s2s import settings
from s2s.cli import make_parser
from s2s.config import DeniedError, UserError, asker
from s2s.data import Corpus, Gold, Link, Pair, saved_datasets
from s2s.files import as_text, stored, to_json
from s2s.jobs import (
    EvaluationRequest,
    GivenScores,
    evaluation_service,
    external,
    extrapolation,
)
from s2s.plots import NamedFile
from s2s.questions import (
    ANSWERS,
    Ablation,
    Alignment,
    AlignmentError,
    AttentionLines,
    AttentionOf,
    AttentionOverTraining,
    Attribution,
    ChangedWeights,
    Compare,
    CostGrowth,
    Costs,
    DatasetProfile,
    Evaluate,
    Extrapolation,
    FaultResults,
    ForcedOutput,
    ForcedTarget,
    ForcedWeights,
    GoldOf,
    Have,
    HeadImportance,
    HeadRoles,
    HeadsOf,
    Intervene,
    LogitLens,
    LongerLines,
    Masks,
    MeanOutputs,
    Neighbors,
    NextToken,
    NextTokens,
    OfTwoSources,
    PaperClaim,
    Patching,
    PoolOf,
    PoolStates,
    PositionKinds,
    Probed,
    Question,
    ReferencesOf,
    RoleAndImportance,
    RolesOverTraining,
    RunsCompared,
    SameWord,
    Samples,
    SamplesOverTraining,
    ScoreBuckets,
    SeedSpread,
    SentenceAblation,
    StateMap,
    StatesOf,
    Sweep,
    T5Sizes,
    TargetIds,
    TraceOf,
    TrainingCurves,
    TrainingForecast,
    Translate,
    TreeOf,
    Walkthrough,
    WhyEachWord,
    WordOrder,
)
from s2s.questions.intervene import InterventionEffect
from s2s.questions.same_word import AnyTwoWords
from s2s.questions.views import BY_NAME, VIEWS
from s2s.reports import pictures as reports
from s2s.runs import Interventions, Sentences, System, evaluations, runs_folder
from s2s.settings import new_id
from s2s.ui.kit.cached import ScreenHave
from tests.conftest import make_run
from tests.hostile.home import visiting

FORMS = (("--json",), ("--csv",), ())
OWNER, GUEST, STRANGER = "ann", "eve", "bob"
SECRET = "secretann"
TITLE = f"small on {SECRET} dataset"  # of the run
NOTE = "noteann"  # what the owner writes about the run
TEXT, TARGET, OTHER = "1 2 3", "3 2 1", "2 1 2"


CHANGE = to_json(Interventions(position=1, keys=(1,)))


class Asked(NamedTuple):
    """A question, and whether an answer has something of the run's dataset; None where no answer ever has."""

    question: Callable[[str], Question[Any]]  # about what `of` says, by its id
    has_data: Callable[[Any], bool] | None = None
    of: str = "run"  # its name as a field, and as something to share; empty: nobody's
    needs_data: bool = False  # or it is refused
    is_private: bool = False  # nothing shares it


# Every question that a view of VIEWS asks, itself or on the way.
ASKED: Mapping[str, Asked] = {
    "same-word": Asked(
        lambda run: SameWord(run, TEXT, OTHER), lambda found: found.one.n_elsewhere > 0
    ),
    "any-two-words": Asked(AnyTwoWords, lambda found: not np.isnan(found.cosines).any()),
    "sentences": Asked(PoolOf, lambda found: any(SECRET in text for text in found.texts)),
    "state-map": Asked(lambda run: StateMap(run, TEXT, second=OTHER)),
    "states": Asked(lambda run: StatesOf(run, TEXT)),
    "logit-lens": Asked(lambda run: LogitLens(run, TEXT, TARGET)),
    "neighbors": Asked(
        lambda run: Neighbors(run, TEXT), lambda found: SECRET in as_text(found.layers)
    ),
    "pool-states": Asked(PoolStates, lambda found: len(found.numbers) > 1),
    "attention": Asked(lambda run: AttentionOf(run, TEXT)),
    "attention-lines": Asked(lambda run: AttentionLines(run, TEXT)),
    "heads-of-sentence": Asked(lambda run: HeadsOf(run, TEXT, layer="1", head="1")),
    "alignment": Asked(
        lambda run: Alignment(run, TEXT, TARGET), lambda found: found.gold is not None
    ),
    "gold-alignment": Asked(GoldOf, lambda found: any(SECRET in text for text in found.targets)),
    "intervene": Asked(lambda run: Intervene(run, TEXT, at="1", to="2", switched="cross.1.2=off")),
    "intervention-effect": Asked(
        lambda run: InterventionEffect(run, TEXT, TARGET, interventions=json.dumps(CHANGE))
    ),
    "translate": Asked(lambda run: Translate(run, TEXT)),
    "compare": Asked(lambda run: Compare((run, "demo-en-fr"), TEXT)),
    "forced-output": Asked(lambda run: ForcedOutput(run, TEXT, TARGET)),
    "forced-weights": Asked(lambda run: ForcedWeights(run, TEXT, TARGET)),
    "why-each-word": Asked(lambda run: WhyEachWord(run, TEXT)),
    "search-tree": Asked(lambda run: TreeOf(run, TEXT)),
    "next-token": Asked(lambda run: NextToken(run, TEXT)),
    "next-tokens": Asked(lambda run: NextTokens(run, TEXT)),
    "forced-target": Asked(lambda run: ForcedTarget(run, TEXT, target=TARGET)),
    "samples": Asked(lambda run: Samples(run, TEXT, settings='{"num_samples": 4}')),
    "word-order": Asked(lambda run: WordOrder(run, TEXT)),
    "training-curves": Asked(lambda run: TrainingCurves((run,))),
    "attention-over-training": Asked(AttentionOverTraining, lambda found: bool(found.frames)),
    "runs-compared": Asked(lambda run: RunsCompared((run, "demo-en-fr"))),
    "sweep": Asked(lambda run: Sweep((run, "demo-en-fr"), "s")),
    "seed-spread": Asked(lambda run: SeedSpread((run, "demo-en-fr"))),
    "position-kinds": Asked(lambda run: PositionKinds("sinusoidal", run, length=4)),
    "longer-lines": Asked(LongerLines),
    "extrapolation": Asked(lambda run: Extrapolation((run,))),
    "evaluate": Asked(
        lambda evaluation: Evaluate(evaluation=evaluation, metrics=True, up="COMET"),
        lambda found: SECRET in as_text(found.sentences),
        of="evaluation",
    ),
    "costs": Asked(lambda run: Costs(run, component="encoder.layer")),
    "cost-growth": Asked(CostGrowth),
    "t5-sizes": Asked(lambda _: T5Sizes(), of=""),
    "training-forecast": Asked(
        lambda dataset: TrainingForecast(f"corpus:{dataset}"), of="dataset", is_private=True
    ),
    "samples-over-training": Asked(SamplesOverTraining),
    "paper-claim": Asked(lambda _: PaperClaim("agreement"), of=""),
    "fault-results": Asked(lambda _: FaultResults(), of=""),
    "masks": Asked(lambda run: Masks(run, TEXT)),
    "walkthrough": Asked(
        lambda run: Walkthrough(run, TEXT, step="loss"), lambda found: found.loss.is_reference
    ),
    "references": Asked(lambda run: ReferencesOf(run, TEXT), lambda found: bool(found.texts)),
    "trace": Asked(lambda run: TraceOf(run, TEXT)),
    "head-roles": Asked(
        lambda run: HeadRoles(run, n=12), lambda found: bool(found.kinds), needs_data=True
    ),
    "alignment-error": Asked(
        lambda run: AlignmentError(run, n=12), lambda found: found.n > 0, needs_data=True
    ),
    "head-importance": Asked(
        lambda run: HeadImportance(run, n=12), lambda found: bool(found.curves), needs_data=True
    ),
    "role-and-importance": Asked(
        lambda run: RoleAndImportance(run, n=12), lambda found: bool(found.roles), needs_data=True
    ),
    "ablation": Asked(
        lambda run: Ablation(run, n=12, switched="cross.1.1=off"),
        lambda found: SECRET in as_text(found.sentences),
        needs_data=True,
    ),
    "sentence-ablation": Asked(
        lambda run: SentenceAblation(run, n=12, switched="cross.1.1=mean", text=TEXT),
        lambda found: bool(found.before.text) or not found.tokens,
        needs_data=True,
    ),
    "mean-outputs": Asked(
        lambda run: MeanOutputs(run, n=12), lambda found: bool(found.means), needs_data=True
    ),
    "attribution": Asked(lambda run: Attribution(run, TEXT, TARGET, method="occlusion")),
    "changed-weights": Asked(lambda run: ChangedWeights(run, TEXT, TARGET)),
    "target-ids": Asked(lambda run: TargetIds(run, TEXT, TARGET)),
    "two-sources": Asked(lambda run: OfTwoSources(run, TEXT, TARGET, OTHER, at="1")),
    "patching": Asked(
        lambda run: Patching(run, TEXT, TARGET, OTHER, at="1", token_a="4", token_b="5")
    ),
    "probe": Asked(
        lambda run: Probed(
            run, (TEXT, OTHER), choice="encoder", settings='{"token_a": 4, "token_b": 5}'
        )
    ),
    "roles-over-training": Asked(
        lambda run: RolesOverTraining(run, n=12),
        lambda found: bool(found.checkpoints),
        needs_data=True,
    ),
    "score-buckets": Asked(
        lambda evaluation: ScoreBuckets(evaluation, bucket="ratio"),
        lambda found: bool(found.found),
        of="evaluation",
        needs_data=True,
    ),
    "dataset-profile": Asked(
        lambda dataset: DatasetProfile(f"corpus:{dataset}"),
        lambda found: SECRET in as_text(found.found),
        of="dataset",
        is_private=True,
    ),
}


class Role(NamedTuple):
    """Who asks, what the owner shares then, and what that allows."""

    workspace: str
    shared: dict[str, bool]
    may_ask: bool
    sees_data: bool = False


LINK = {"link": True, "data": False}
LINK_AND_DATA = {"link": True, "data": True}
OWNED = Role(OWNER, {}, may_ask=True, sees_data=True)
WITH_LINK = Role(GUEST, LINK, may_ask=True)
WITH_DATA = Role(GUEST, LINK_AND_DATA, may_ask=True, sees_data=True)
NO_WORKSPACE = Role(asker.NOBODY, LINK, may_ask=True)
NOT_SHARED = Role(STRANGER, {}, may_ask=False)
NOBODY = Role(asker.NOBODY, {}, may_ask=False)
# The owner asks first and in between, and a guest again after the sentences are no longer shared.
ORDER = (
    OWNED,
    WITH_LINK,
    NOT_SHARED,
    WITH_DATA,
    NO_WORKSPACE,
    NOBODY,
    OWNED,
    WITH_LINK,
)


@dataclass(frozen=True)
class Home:
    """A hosted server with one run, of a dataset whose every sentence has a word that nobody else may read, and an
    evaluation on such sentences.
    """

    path: Path
    dataset: str
    run: str
    evaluation: str

    def share(self, of: str, what: dict[str, bool]) -> None:
        """The link of the run or of the evaluation, its sentences, or nothing."""
        path = self.path / "sharing" / f"{of}-{getattr(self, of)}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"format": 1, "link": False, "data": False, **what}))


@pytest.fixture(scope="module")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Home:
    path = tmp_path_factory.mktemp("rights")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S2S_HOME", str(path))
        gold = Gold((Link(0, 2), Link(1, 1), Link(2, 0)))
        secrets = [Pair(f"1 2 {n % 9} {SECRET}", f"{SECRET} {n % 9} 2 1", gold) for n in range(30)]
        pairs = (Pair(TEXT, TARGET, gold), *secrets)
        corpus = Corpus("upload", "train", pairs, ())
        dataset = saved_datasets.save(corpus, name=f"{SECRET} dataset", owner=OWNER)
        run = new_id()
        about = make_run(runs_folder() / run, {}) / "recipe.json"
        told = {"owner": OWNER, "source": f"corpus:{dataset}", "valid": None, "comment": NOTE}
        told |= {"name": TITLE, "preset": "small"}
        about.write_text(json.dumps(json.loads(about.read_text()) | told))
        sample = {"step": 30, "source": "2 4", "text": "9", "reference": "4 2"}
        (about.parent / "samples.jsonl").write_text(json.dumps(sample) + "\n")
        evaluation = evaluated(run, [(pair.src, pair.tgt) for pair in secrets[:4]])
    return Home(path, dataset, run, evaluation)


def evaluated(run: str, pairs: list[tuple[str, str]]) -> str:
    """The id of the owner's evaluation, of the run and of translations in a file, with a metric of another file."""
    systems = (
        System(f"{TITLE} · greedy", run, 20, "greedy"),
        System("theirs", uploaded="theirs.txt"),
    )
    test = Sentences(f"{SECRET} dataset, train", split="train", run=run, files=(f"{SECRET}.csv",))
    theirs = {"theirs": [target for _, target in pairs]}
    with asker.acting_as(OWNER):
        place = evaluation_service.store(
            EvaluationRequest(systems, replace(test, n=len(pairs)), pairs, theirs, run=run)
        )
        list(evaluation_service.evaluate(place))
        given = GivenScores("COMET", "higher", 1, f"{SECRET}.txt", b"1\n2\n3\n4\n")
        external.add(place.id, given, OWNER)
    return place.id


@pytest.fixture
def home(_made: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """Nothing is asked yet."""
    monkeypatch.setattr(extrapolation, "LENGTHS", (4,))
    monkeypatch.setenv("S2S_HOME", str(_made.path))
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    ANSWERS.clear()
    logger = logging.getLogger("streamlit")
    level = logger.level
    logger.setLevel(logging.ERROR)  # it warns of every cached read outside a session
    yield _made
    logger.setLevel(level)


def results(have: Have, question: Question[Any]) -> list[str]:
    """What whoever asks gets: the answer, its CSV, its table, and of a view the page with its pictures."""
    answer = have.answer(question)
    table = question.table(answer)
    found = [
        as_text({"asked": question, "answer": answer}),
        repr(answer),
        table.csv(),
        table.html(),
    ]
    if view := BY_NAME.get(question.name):
        pictures = view.pictures(question, answer, "a model")
        found += [reports.page("a page", pictures), *map(repr, pictures)]
        found += [content(file) for picture in pictures for file in picture.files]
    return found


def content(file: NamedFile) -> str:
    made = file.content()
    if isinstance(made, str):
        return f"{file.name}\n{made}"
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        return "\n".join((file.name, *(archive.read(name).decode() for name in archive.namelist())))


def from_a_program(have: Have, question: Question[Any]) -> list[str]:
    """The same, and what `s2s.ask` shows in a notebook."""
    asked = s2s.ask(question, progress=False)
    return [*results(have, question), repr(asked), str(asked._repr_mimebundle_())]


def from_a_command(have: Have, question: Question[Any]) -> list[str]:
    """The same, and what the command line prints of a view."""
    if question.name not in BY_NAME:
        return results(have, question)
    return [*results(have, question), *(commanded(question, *form) for form in FORMS)]


def commanded(question: Question[Any], *form: str) -> str:
    """What the code menu's command prints."""
    words = [word for word in shlex.split(question.command)[3:] if word != "--json"]
    arguments = make_parser().parse_args([*words, *form])
    with redirect_stdout(io.StringIO()) as out:
        arguments.command(arguments)  # for whoever this code works for; `main` is the operator's
    return out.getvalue()


def on_a_page(monkeypatch: pytest.MonkeyPatch, workspace: str) -> AbstractContextManager[None]:
    return visiting(monkeypatch, workspace)


def in_a_program(monkeypatch: pytest.MonkeyPatch, workspace: str) -> AbstractContextManager[None]:
    return asker.acting_as(workspace)


WAYS = {  # for whom, what opens things, what is asked for, and how the run is named
    "program": (in_a_program, Have, from_a_program, "{}"),
    "command": (in_a_program, Have, from_a_command, "{}@20"),
    "page": (on_a_page, ScreenHave, results, "{}@20"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ASKED)
def test_everyone_gets_what_they_may_see_whoever_asked_before(
    name: str, way: str, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    entering, make, ask, run = WAYS[way]
    _, has_data, of, needs_data, is_private = ASKED[name]
    thing = getattr(home, of, "")
    question = ASKED[name].question(run.format(thing) if of == "run" else thing)
    for role in ORDER:
        if of:
            home.share(of, role.shared)
        with entering(monkeypatch, role.workspace):
            have = make()
            if is_private and role.workspace != OWNER:
                refused_as_no_dataset(have, question)
                continue
            if of and not role.may_ask:
                refused_as_unknown(have, question, of)
                continue
            if needs_data and not role.sees_data:
                refused_for_its_sentences(have, question)
                continue
            found = ask(have, question)
            is_shown = has_data is not None and has_data(have.answer(question))
        assert is_shown is (role.sees_data and has_data is not None), role
        if not role.sees_data:
            assert not leaked(found, SECRET)
        assert not leaked(found, NOTE)
        assert not leaked(found, str(settings.home()))


def leaked(found: list[str], word: str) -> list[str]:
    """Where the word is, with what stands around it."""
    return [text[max(0, text.index(word) - 200) :][:300] for text in found if word in text]


def ways_to_ask(have: Have, question: Question[Any]) -> list[Callable[[Question[Any]], Any]]:
    """All that give the answer."""
    shown = [commanded] if question.name in BY_NAME else []
    return [have.answer, have.timed, partial(s2s.ask, progress=False), *shown]


def id_in(question: Question[Any], of: str) -> str:
    """That of the run or evaluation which is asked about."""
    return question.of(of)[0].partition("@")[0]


def refused_as_unknown(have: Have, question: Question[Any], of: str) -> None:
    """What is not theirs is refused as what is not there, also when the answer is known already."""
    thing = id_in(question, of)
    (field,) = (row for row in question.declared() if row.metadata["of"] == of)
    others = getattr(question, field.name)[1:]
    gone: Any = new_id() if field.default == "" else (new_id(), *others)
    said = []
    for asked in (question, type(question)(**question.changed | {field.name: gone})):
        for ask in (*ways_to_ask(have, asked), have.key):
            with pytest.raises(DeniedError) as refused:
                ask(asked)
            said.append(str(refused.value).replace(id_in(asked, of), "ID"))
    assert {each.replace("ID@20", "ID") for each in said} == {said[-1]}
    assert thing not in said[-1]


def refused_as_no_dataset(have: Have, question: Question[Any]) -> None:
    """Nobody else's dataset is there, also when the answer is known already."""
    for ask in (*ways_to_ask(have, question), have.key):
        with pytest.raises(UserError, match="There is no saved dataset"):
            ask(question)


def refused_for_its_sentences(have: Have, question: Question[Any]) -> None:
    """That they are not shared is all that is said."""
    for ask in ways_to_ask(have, question):
        with pytest.raises(UserError, match="its owner has not shared them") as refused:
            ask(question)
        assert SECRET not in str(refused.value)


def test_every_question_of_a_view_and_all_that_it_asks_is_in_the_matrix(home: Home) -> None:
    met: set[str] = set()

    class Noting(Have):
        def timed(self, question: Question[Any]) -> Any:
            met.add(question.name)
            return super().timed(question)

    with asker.acting_as(OWNER):
        for row in VIEWS:
            assert row.question.name in ASKED, f"what may a guest see of `{row.question.name}`?"
            asked = ASKED[row.question.name]
            Noting().answer(asked.question(getattr(home, asked.of, "")))
    assert met == {*ASKED}


def test_a_dataset_of_everybody_is_nobodys_secret(home: Home) -> None:
    """The demos' sentences are there for all: the matrix is about whose they are, not about hiding."""
    with asker.acting_as(asker.NOBODY):
        assert Have().answer(PoolOf("demo-en-fr")).n_own > 0


def test_what_is_requested_of_a_run_reads_its_sentences_only_for_who_may_see_them(
    home: Home,
) -> None:
    """And is the asker's own: nobody else's is found in its place."""
    requested = Evaluate((home.run,), n=3, strategies="greedy")
    dataset = replace(requested, test=f"corpus:{home.dataset}")
    for role in ORDER:
        home.share("run", role.shared)
        with asker.acting_as(role.workspace):
            have = Have()
            if role.sees_data:
                assert SECRET in as_text(have.answer(requested).sentences)
            else:
                expected = UserError if role.may_ask else DeniedError
                with pytest.raises(expected) as refused:
                    have.answer(requested)
                assert not leaked([str(refused.value)], SECRET)
            if role.workspace == OWNER:
                assert SECRET in as_text(have.answer(dataset))
            else:
                there_is = "no saved dataset" if role.may_ask else "no run"
                with pytest.raises(UserError, match=f"There is {there_is}") as refused:
                    have.answer(dataset)
                assert not leaked([str(refused.value)], SECRET)
    made = stored.EVALUATION.parent.iterdir()
    owners = [evaluations.EvaluationFolder(path).evaluation().owner for path in made]
    assert sorted(owners) == [OWNER, OWNER, OWNER, GUEST]
