"""What a search is asked for on the command line, and what is shown of it while it runs."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.universe import Universe

from tinyml.dialects.errors import InputError
from tinyml.lowering.pipelines import SEARCH, SEARCH_OPTIONS, spelled
from tinyml.tools.cli.pipeline_syntax import to_xdsl_pipeline
from tinyml.tools.cli.progress import Progress

if TYPE_CHECKING:
    from tinyml.targets.board import Board
    from tinyml.transforms.search.evaluation.evaluation import Status

PREFIX = "search-"


@dataclass(frozen=True)
class SearchRequest:
    """name: of the pass, without `search-`. options: of the pass, those that were given.

    Raises `InputError` for an unknown search, and for an option that it does not have.
    """

    name: str
    options: dict[str, Any]

    def __post_init__(self) -> None:
        passes = Universe.get_multiverse().all_passes
        known = [name.removeprefix(PREFIX) for name in sorted(passes) if name.startswith(PREFIX)]
        if self.name not in known:
            raise InputError(f"unknown search '{self.name}'; the searches are {', '.join(known)}")
        taken: Any = passes[PREFIX + self.name]()
        for option in self.options:
            if option not in {one.name for one in fields(taken)}:
                raise InputError(f"the search '{self.name}' has no --{option}")

    def spelled(self, board: Board) -> dict[str, str]:
        """As options of pipelines, for programs that run on a board."""
        passes: Any = Universe.get_multiverse().all_passes
        taken = {one.name for one in fields(passes[PREFIX + self.name]())}
        options = {**({"target": board.name} if "target" in taken else {}), **self.options}
        given = " ".join(f"{option}={_spell(value)}" for option, value in options.items())
        return {SEARCH: PREFIX + self.name, SEARCH_OPTIONS: to_xdsl_pipeline(f"{{{given}}}")[1:-1]}


def _spell(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(_spell, value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return spelled(value)


@dataclass
class SearchAccount:
    """What was seen of searches: how many candidates were evaluated, and the seconds of each phase."""

    candidates: int = 0
    seconds: dict[str, float] = field(default_factory=dict[str, float])


@contextmanager
def watched(progress: Progress) -> Generator[SearchAccount]:
    """Shows how far a search is that runs in this context, and takes account of it."""
    from tinyml.transforms.search.evaluation.evaluation import WATCH

    account = SearchAccount()
    phase, since, before = "", time.perf_counter(), 0

    def watch(status: Status) -> None:
        nonlocal phase, since, before
        now = time.perf_counter()
        if status.phase != phase:
            if phase:
                account.seconds[phase] = round(account.seconds.get(phase, 0.0) + now - since, 2)
            phase, since = status.phase, now
        account.candidates = before + status.candidates
        if not status.phase:
            before = account.candidates
        if phase:
            progress.detail(phase, _describe(account.candidates, status, now - since))

    token = WATCH.set(watch)
    try:
        yield account
    finally:
        WATCH.reset(token)


def _describe(candidates: int, status: Status, seconds: float) -> str:
    parts = [f"{candidates} candidates"]
    if status.best < float("inf"):
        parts.append(f"best loses {status.best:.3g}")
    if status.done:
        parts.append(f"{seconds * (status.of - status.done) / status.done:.0f} s left of {status.phase}")
    return ", ".join(parts)


def points_report(formats: ModuleOp) -> list[dict[str, Any]] | None:
    """The candidates that a search wrote into a program at L1; None where it looked at no costs."""
    from tinyml.runtime.evaluator.evaluator import predict_function
    from tinyml.transforms.search.engine.result import FRONT_ATTRIBUTE

    points: Any = predict_function(formats).attributes.get(FRONT_ATTRIBUTE)
    if points is None:
        return None
    return [
        {
            **{name: entry.data[name].value.data for name in ("loss", "time", "flash", "ram")},
            "origin": entry.data["origin"].data,
            **{name: name in entry.data for name in ("front", "chosen")},
        }
        for entry in points
    ]


def tensors_report(formats: ModuleOp) -> list[dict[str, Any]] | None:
    """What a search wrote into a program at L1, as it stands in reports; None without a search."""
    from tinyml.dialects.formats.number_format import element_format
    from tinyml.runtime.evaluator.evaluator import predict_function
    from tinyml.transforms.search.engine.result import SEARCH_ATTRIBUTE

    account: Any = predict_function(formats).attributes.get(SEARCH_ATTRIBUTE)
    if account is None:
        return None
    return [
        {
            "name": entry.data["name"].data,
            "format": str(entry.data["format"]),
            "width": element_format(entry.data["format"]).bits,
            "range": [entry.data["range"].low.data, entry.data["range"].high.data],
            "error": entry.data["error"].value.data,
            "why": entry.data["why"].data,
        }
        for entry in account
    ]
