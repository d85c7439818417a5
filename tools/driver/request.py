"""Requests to compile models or to search for formats, with options as their fields, and the record of a search's
effort.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.context import registry
from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.extensions import imported, missing_part, needs
from tinyml.dialects.formats.lookup import USUAL_FORMAT
from tinyml.dialects.options import FOLDER, Option, OptionGroup, Size, option, options_of
from tinyml.dialects.plugins import PluginError, others_left_out, provider
from tinyml.lowering.options import AUTO_FORMAT, CompileOptions, PipelineOptions
from tinyml.targets.registry import DEFAULT_TARGET, sized, targets
from tinyml.tools.cli.common_options import trust_pickle
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.packages.packaging_table import DEFAULT_PACKAGINGS, PLAIN, packaging_names
from tinyml.transforms.ir.outputs import CLASS, OUTPUTS, SCORES
from tinyml.transforms.search.engine.status import STATUS_LISTENER, Status

if TYPE_CHECKING:
    from tinyml.targets.board import Board
    from tinyml.transforms.search.engine.search_pass import SearchPass

PREFIX = "search-"

DECIDED_OPTIONS = ("format", "width", "weights", "search", "functions", "row_scales", "plan")
"""The options that `auto` decides; if any of them is set, the others have their defaults."""

USUAL_GROWTH = 5.0
"""The default permitted growth of an output's error in percent."""

OPTIMIZE = ("Os", "O2", "O3")

QUANTIZATION = ("keep", "anew")


def listed_targets() -> str:
    return ", ".join(targets())


def optimize() -> Any:
    """The declaration of the option `optimize`."""
    return option(
        "optimisation level of the C compiler", default=OPTIMIZE[0], choices=OPTIMIZE, group=OptionGroup.BOARD
    )


@dataclass(frozen=True, kw_only=True)
class ModelArgument:
    """The positional argument of commands that import a model, and the option to trust pickles."""

    model: Path = option(
        "model file: .tflite, .onnx, .sd (SeeDot), .pkl or .joblib (scikit-learn), another that a frontend reads, or"
        " .mlir (a module of tensors)",
        flags=(),
        group=OptionGroup.MODEL,
    )
    trust_pickle: bool = trust_pickle()


@dataclass(frozen=True, kw_only=True)
class TargetOptions:
    """The options of commands that compile for a board. The name of the target includes requested memory sizes."""

    target: str = option(
        f"board to compile for: {listed_targets()}", default=DEFAULT_TARGET, metavar="BOARD", group=OptionGroup.BOARD
    )
    flash_size: Size | None = option(
        "flash of the part in bytes, or with K or M, if it is not that of --target",
        default=None,
        metavar="SIZE",
        group=OptionGroup.BOARD,
    )
    ram_size: Size | None = option(
        "RAM of the part in bytes, or with K or M, if it is not that of --target",
        default=None,
        metavar="SIZE",
        group=OptionGroup.BOARD,
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", sized(self.target, self.flash_size, self.ram_size))


@dataclass(frozen=True, kw_only=True)
class BuildOptions(CompileOptions, TargetOptions):
    """Options that `tinyml compile` and `tinyml bench` share."""

    optimize: str = optimize()
    quantization: str = option(
        "keep the number formats of a quantised model, or convert it to real numbers and choose new formats",
        default=QUANTIZATION[0],
        choices=QUANTIZATION,
        group=OptionGroup.NUMBERS,
    )
    cache: Path | None = option(
        "folder in which costs, losses and rounded constants are stored for later commands with the same model and "
        "data (default: none)",
        default=None,
        metavar="FOLDER",
        group=OptionGroup.MODEL,
    )


@dataclass(frozen=True, kw_only=True)
class Request(BuildOptions, ModelArgument):
    """A request to compile a model.

    search: the search that chooses the format of each tensor, and replaces width and weights.
    ram: the limit on arena, input and stack in bytes, by default all of the board's RAM.
    flash: the limit on the program in bytes, which faster kernels and code may use.
    loss: the permitted loss in points of a program that `auto` chooses.
    metric: the metric of that loss, which the report also shows; None for accuracy.
    module: the program, if it is already loaded; `model` is then its file, or only a name for messages.
    arrays: the arguments of `tinyml.compile` whose arrays a data file contains, by data file.
    """

    format: str = option(
        f"number format: a built-in one, one of an installed package, f32, or {AUTO_FORMAT}: the formats, widths and "
        "schedule of the fastest program that fits the board and loses at most --loss points; "
        f"{USUAL_FORMAT} with another option that determines the arithmetic; a type in MLIR's syntax is "
        "that of every tensor",
        default=AUTO_FORMAT,
        metavar="NAME",
        group=OptionGroup.NUMBERS,
    )
    outputs: str = option(
        "result of a classifier: all scores, or only the class, without operations that do not change the class, such "
        "as softmax; "
        f"{AUTO_FORMAT} is {CLASS} with --format {AUTO_FORMAT} and {SCORES} otherwise",
        default=AUTO_FORMAT,
        choices=(AUTO_FORMAT, *OUTPUTS),
        group=OptionGroup.NUMBERS,
    )
    name: str | None = option(
        "name of the model, with which files, C functions and the library begin (default: that of the model file)",
        default=None,
        metavar="NAME",
        group=OptionGroup.MODEL,
    )
    val: Path | None = option(
        "inputs x on which ranges are profiled and, optionally, labels y; not needed if number formats do not change",
        default=None,
        metavar="FILE.npz",
        group=OptionGroup.MODEL,
    )
    test: Path | None = option(
        "data on which accuracy is measured (default: --val)", default=None, metavar="FILE.npz", group=OptionGroup.MODEL
    )
    out: Path = option(
        "folder to write", flags=("-o", "--out"), metavar="FOLDER", group=OptionGroup.MODEL, writes=FOLDER
    )
    packages: tuple[str, ...] | None = option(
        f"folders for other tools: {', '.join(packaging_names())} ({PLAIN}: only NAME.c and NAME.h); "
        f"{', '.join((PLAIN, *DEFAULT_PACKAGINGS))} by default, if they support the board",
        default=None,
        metavar="NAME,...",
        flags=("--package",),
        group=OptionGroup.BOARD,
    )
    zip: bool = option(
        "also write the Arduino library as a .zip file, which its IDE imports", default=False, group=OptionGroup.BOARD
    )
    route: bool = option(
        "place and route a module for programmable logic to determine its clock, which takes minutes",
        default=False,
        group=OptionGroup.BOARD,
    )
    measure: bool = option(
        f"let --format {AUTO_FORMAT} simulate the alternatives whose estimated times are within 30 %% of the fastest, "
        "and choose by their measured times",
        default=False,
        group=OptionGroup.NUMBERS,
    )
    measured: Path | None = option(
        "output folder of a compilation with --measure, whose measured times replace simulations: the same choice "
        "without the tools of the board",
        default=None,
        metavar="FOLDER",
        group=OptionGroup.NUMBERS,
    )
    search: SearchRequest | None = None
    ram: int | None = None
    flash: int | None = None
    module: ModuleOp | None = None
    loss: float | None = None
    metric: str | None = None
    arrays: Mapping[Path, Sequence[str]] = field(default_factory=dict[Path, Sequence[str]], hash=False)

    @property
    def in_memory(self) -> bool:
        """Whether the model or the data are Python objects, which no command line can name."""
        return bool(self.arrays) or (self.module is not None and not self.model.is_file())

    @property
    def is_auto(self) -> bool:
        """Whether `auto` will choose formats, widths and schedule."""
        return all(getattr(self, name) == default_of(name) for name in DECIDED_OPTIONS)

    @property
    def inputs(self) -> list[Path]:
        """The user's files that the compilation reads or, for a journal, continues to write."""
        journal = None if self.search is None else self.search.options.get("journal")
        data = [file for file in (self.val, self.test) if file is not None]
        model = [self.model] if self.module is None or self.model.is_file() else []
        return [*model, *data, *([Path(journal)] if journal else [])]

    @property
    def compile_options(self) -> dict[str, Any]:
        """The values of the options of `CompileOptions`, by name, with defaults for omitted options."""
        values = {declared.name: getattr(self, declared.name) for declared in options_of(CompileOptions)}
        values["format"] = USUAL_FORMAT if self.format == AUTO_FORMAT else self.format
        return values | {"outputs": SCORES if self.outputs == AUTO_FORMAT else self.outputs}

    @property
    def stated_options(self) -> dict[str, Any]:
        """The format and all other options that differ from their defaults, in the form of the report, without the
        model and the output folder.
        """
        stated: dict[str, Any] = {"format": self.format}
        for declared in options_of(Request):
            value = getattr(self, declared.name)
            # In Python, packages are requested when a program is saved.
            if declared.name not in ("model", "out") and value not in (declared.default, ()):
                stated[declared.name] = self._named(value) if isinstance(value, Path) else value
        return stated | ({} if self.search is None else {"search": self.search.name, **self.search.options})

    def _named(self, file: Path) -> str:
        return ", ".join(self.arrays.get(file, [str(file)]))

    def pipeline_options(self, board: Board) -> PipelineOptions:
        """The options for the pipelines of a board. The board may differ from the target of the request."""
        return PipelineOptions(data=str(self.val or ""), target=board.name, flash=self.flash, **self.compile_options)


def default_of(option: str) -> Any:
    return next(field.default for field in fields(Request) if field.name == option)


def search_names() -> list[str]:
    """The names of the searches, whose passes are not loaded."""
    return [name.removeprefix(PREFIX) for name in sorted(registry().all_passes) if name.startswith(PREFIX)]


def searches() -> dict[str, type[SearchPass]]:
    """The search passes, by their names without the prefix `search-`. A plug-in's pass that is not a search is
    skipped.
    """
    found: dict[str, type[SearchPass]] = {}
    for name, factory in sorted(registry().all_passes.items()):
        if name.startswith(PREFIX):
            with others_left_out():
                found[name.removeprefix(PREFIX)] = _search(name, factory)
    return found


def _search(name: str, factory: Callable[[], type[ModulePass]]) -> type[SearchPass]:
    search_type = factory()
    search_pass: type[SearchPass] = imported("tinyml.transforms.search.engine.search_pass:SearchPass")
    if not issubclass(search_type, search_pass):
        raise PluginError(f"{provider(factory.__module__)}: the pass '{name}' is not a SearchPass")
    options_of(search_type)
    return search_type


def describe_searches() -> str:
    """The names of the searches, each with its source paper, in words for a help text."""
    return ", ".join(f"{name} ({search.PAPER})" if search.PAPER else name for name, search in searches().items())


def search_options() -> list[Option]:
    """The options of all searches, without duplicates."""
    listed: dict[str, Option] = {}
    for search in searches().values():
        for declared in options_of(search):
            earlier = listed.get(declared.name, declared)
            listed[declared.name] = replace(declared, varies=earlier.varies or earlier.default != declared.default)
    return list(listed.values())


@dataclass(frozen=True)
class SearchRequest:
    """A request for a search.

    name: the name of the pass, without `search-`.
    options: values for fields of the pass.

    Raises `InputError` for an unknown search and for an unknown option.
    """

    name: str
    options: dict[str, Any]

    def __post_init__(self) -> None:
        known = searches()
        if self.name not in known:
            if (
                part := missing_part("tinyml.transforms.search." + f"{PREFIX}{self.name}".replace("-", "_"))
            ) is not None:
                raise InputError(f"the search '{self.name}' {needs(part)}")
            raise unknown("search", self.name, known)
        for name in self.options:
            if name not in {field.name for field in fields(known[self.name])}:
                raise InputError(f"the search '{self.name}' has no --{name.replace('_', '-')}")

    def search_pass(self, options: PipelineOptions) -> SearchPass:
        """The search pass for programs compiled with the given options."""
        search = searches()[self.name]
        given: dict[str, Any] = {**asdict(options), **self.options}
        return search(**{field.name: given[field.name] for field in fields(search) if field.name in given})


@dataclass
class SearchAccount:
    """The effort of searches: the number of evaluated candidates, and seconds by phase."""

    candidates: int = 0
    seconds: dict[str, float] = field(default_factory=dict[str, float])


@contextmanager
def watched(progress: Progress) -> Generator[SearchAccount]:
    """A context that shows the progress of searches. It yields the record in which the effort of the searches is
    counted.
    """
    account = SearchAccount()
    phase, since, before = "", time.perf_counter(), 0

    def receive(status: Status) -> None:
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

    token = STATUS_LISTENER.set(receive)
    try:
        yield account
    finally:
        STATUS_LISTENER.reset(token)


def _describe(candidates: int, status: Status, seconds: float) -> str:
    parts = [f"{candidates} candidates"]
    if status.best < float("inf"):
        parts.append(f"best loses {status.best:.3g}")
    if status.done:
        parts.append(f"{seconds * (status.of - status.done) / status.done:.0f} s left of {status.phase}")
    return ", ".join(parts)
