"""Requests for searches from the command line, and the display of their progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from xdsl.passes import ModulePass

from tinyml.dialects.context import registry
from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.options import Option, options_of
from tinyml.dialects.plugins import PluginError, others_left_out, provider
from tinyml.lowering.options import PipelineOptions
from tinyml.tools.cli.progress import Progress

if TYPE_CHECKING:
    from tinyml.transforms.search.engine.evaluation import Status
    from tinyml.transforms.search.engine.search_pass import SearchPass

PREFIX = "search-"


def searches() -> dict[str, type[SearchPass]]:
    """The search passes, by their names without the prefix `search-`; passes of plug-ins that are no searches are left
    out."""
    found: dict[str, type[SearchPass]] = {}
    for name, factory in sorted(registry().all_passes.items()):
        if name.startswith(PREFIX):
            with others_left_out():
                found[name.removeprefix(PREFIX)] = _search(name, factory)
    return found


def _search(name: str, factory: Callable[[], type[ModulePass]]) -> type[SearchPass]:
    """The search pass that a factory makes, with options that can be read."""
    from tinyml.transforms.search.engine.search_pass import SearchPass

    made = factory()
    if not issubclass(made, SearchPass):
        raise PluginError(f"{provider(factory.__module__)}: the pass '{name}' is no SearchPass")
    options_of(made)
    return made


def describe_searches() -> str:
    """The names of the searches, each with the paper that it comes from, for help texts."""
    return ", ".join(f"{name} ({search.PAPER})" if search.PAPER else name for name, search in searches().items())


def search_options() -> list[Option]:
    """The options of all searches, each listed once."""
    listed: dict[str, Option] = {}
    for search in searches().values():
        for option in options_of(search):
            earlier = listed.get(option.name, option)
            listed[option.name] = replace(option, varies=earlier.varies or earlier.default != option.default)
    return list(listed.values())


@dataclass(frozen=True)
class SearchRequest:
    """A request for a search.

    name: of the pass, without `search-`. options: values for fields of the pass. Raises `InputError` for an unknown
    search, and for an option that it does not have.
    """

    name: str
    options: dict[str, Any]

    def __post_init__(self) -> None:
        known = searches()
        if self.name not in known:
            raise unknown("search", self.name, known)
        for option in self.options:
            if option not in {field.name for field in fields(known[self.name])}:
                raise InputError(f"the search '{self.name}' has no --{option.replace('_', '-')}")

    def search_pass(self, options: PipelineOptions) -> SearchPass:
        """The search pass, for programs that are compiled with the given options."""
        search = searches()[self.name]
        given: dict[str, Any] = {**asdict(options), **self.options}
        return search(**{field.name: given[field.name] for field in fields(search) if field.name in given})


@dataclass
class SearchAccount:
    """The effort spent on searches: evaluated candidates, and seconds by phase."""

    candidates: int = 0
    seconds: dict[str, float] = field(default_factory=dict[str, float])


@contextmanager
def watched(progress: Progress) -> Generator[SearchAccount]:
    """Show the progress of searches that run in this context, and record their effort."""
    from tinyml.transforms.search.engine.evaluation import WATCH

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
