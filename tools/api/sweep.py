"""Sweeps: measurements of many models, formats, boards and searches, as in tables of papers; one row per program."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias, cast

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.formats.lookup import format_spelled, is_type
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.package_metadata import DISTRIBUTION
from tinyml.lowering.options import AUTO_FORMAT
from tinyml.runtime.devices import registry as runners
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.targets.registry import DEFAULT_TARGET, board, chip_of
from tinyml.tools.api.arguments import checked_values, python_terms
from tinyml.tools.api.compilation import compile, compile_keywords, first_of
from tinyml.tools.api.data_files import array_of, column_names, parts_of
from tinyml.tools.api.loading import Model, load
from tinyml.tools.api.program import CompileWarning
from tinyml.tools.api.row_table import RowTable
from tinyml.tools.cli.parse_mlir import parse_mlir
from tinyml.tools.driver.compile_request import compile_request
from tinyml.tools.driver.stages import find_model
from tinyml.tools.reports.facts.figures import figures_of, spell_format
from tinyml.transforms.search.engine.workers import Workers

Arrays: TypeAlias = Sequence[object]
"""X_val, y_val, X_test and y_test of `compile`; the last ones may be omitted or None."""

VARIED_OPTIONS = {"format": "formats", "width": "formats", "search": "searches"}
"""Options of `compile` that a sweep varies, with the argument of the sweep that lists their values."""

PROCESSES = ("jobs", "backend", "cluster")
"""Options of `compile` that select worker processes: in a sweep the workers compile instead of searching."""


@dataclass(frozen=True, kw_only=True)
class SweepRow:
    """The measurements of one program. A field is None if a figure is unknown or the program does not exist.

    model, board, format, search: as requested.
    chosen: the formats of the program.
    accuracy: the percentage of correct answers.
    accuracy_float: the percentage of correct answers of the model on reals.
    other_answers: the number of `samples` whose prediction differs from that of the model on reals.
    time: cycles or instructions per inference, as `unit` states.
    float_time: the time of a call with floats, in the same unit.
    core_cycles: the cycles per inference by the published timing of the core.
    milliseconds: the time per inference at the clock of the board.
    flash, ram, arena: sizes in bytes.
    warnings: the warnings of the report.
    error: the reason if there is no program.
    key: a hash of everything that the row depends on.
    """

    model: str
    board: str
    format: str
    search: str | None
    chosen: str | None = None
    accuracy: float | None = None
    accuracy_float: float | None = None
    other_answers: int | None = None
    samples: int | None = None
    unit: str | None = None
    time: float | None = None
    float_time: float | None = None
    core_cycles: float | None = None
    milliseconds: float | None = None
    flash: int | None = None
    ram: int | None = None
    arena: int | None = None
    warnings: str | None = None
    error: str | None = None
    key: str


def sweep(
    models: object,
    *,
    formats: Sequence[str] = ("auto",),
    boards: Sequence[str] = (DEFAULT_TARGET,),
    searches: Sequence[str | None] = (None,),
    data: object = None,
    csv: str | Path | None = None,
    **options: object,
) -> list[SweepRow]:
    """Compile and measure all combinations of model, format, board and search; return one row each, in this order.

    models: a mapping from names to models, or a sequence of models: any source that `load` accepts, or a folder with a
        model, val.npz and optionally test.npz.
    formats: `FORMAT`, `FORMAT:BITS`, a type such as `!posit.p<16, 2>`, or auto.
    searches: names of searches, and None for no search.
    data: X_val, y_val, X_test and y_test of `compile` in this order, for all models, or a mapping from model names to
        such tuples; the last items may be omitted. A folder has its own data.
    csv: a file to which each row is appended when it is measured. Rows that the file already contains are not measured
        again, so that an interrupted sweep can be resumed by the same call.
    options: the options of `compile` except `formats`, for all programs; jobs, backend and cluster apply to the
        processes that compile.

    `pandas.DataFrame(rows)` converts the rows to a table. A program that cannot be compiled, for example because it
    does not fit the board, yields a row with an `error`. Before any compilation, `sweep` raises `InputError` for
    invalid arguments and for a CSV file that no sweep wrote. Raises `TypeError` for an unknown keyword and for an
    option value of the wrong type.
    """
    values = _checked(options)
    processes = {name: values.pop(name) for name in PROCESSES if name in values}
    with python_terms({}):
        _check(formats, boards, searches, values)
        problem = _Problem.of(_named(models), data, values)
    cases = [_Case(*each) for each in product(problem.programs, boards, formats, searches)]
    with python_terms({}), ExitStack() as stack:
        table = stack.enter_context(RowTable(csv, SweepRow, "a sweep"))
        workers = stack.enter_context(Workers(**processes))
        known = ((case, table.rows.get(problem.key(case))) for case in cases)
        rows = {case: row for case, row in known if row is not None and row.error is None}
        waiting = [case for case in cases if case not in rows]
        for start in range(0, len(waiting), workers.size):
            for case, row in workers.run(problem, waiting[start : start + workers.size], _measured):
                table.add(row)
                rows[case] = row
    # The name of a model does not affect its rows.
    return [replace(rows[case], model=case.model) for case in cases]


@dataclass(frozen=True)
class _Case:
    """One combination of model, format, board and search in a sweep."""

    model: str
    board: str
    format: str
    search: str | None

    @property
    def options(self) -> dict[str, Any]:
        name, _, bits = (self.format, "", "") if is_type(self.format) else self.format.partition(":")
        found: dict[str, Any] = {"format": name, "search": self.search}
        return found | ({"width": int(bits)} if bits else {}) | ({"jobs": 1} if self.search else {})


@dataclass(frozen=True)
class _Problem:
    """The input of worker processes.

    programs: the programs as IR text, by model name.
    data: the data of each program.
    options: the options of `compile` for all programs.
    digests: hashes of the programs with their data.
    """

    programs: Mapping[str, str]
    data: Mapping[str, Arrays]
    options: Mapping[str, Any]
    digests: Mapping[str, str]

    @staticmethod
    def of(models: Mapping[str, object], data: object, options: Mapping[str, Any]) -> _Problem:
        programs: dict[str, str] = {}
        arrays: dict[str, Arrays] = {}
        trusted, detector = bool(options.get("trust_pickle")), options.get("false_alarms") is not None
        if isinstance(data, Mapping) and (odd := cast("Mapping[str, Arrays]", data).keys() - models.keys()):
            raise InputError(unknown("model", min(odd), models).message, file="data")
        for name, model in models.items():
            source, own = _of_folder(model)
            given = own or (cast("Mapping[str, Arrays]", data).get(name, ()) if isinstance(data, Mapping) else data)
            if given is not None and not isinstance(given, list | tuple):
                raise InputError(f"expected X_val, y_val, X_test and y_test, got {type(given).__name__}", file="data")
            arrays[name] = tuple(cast("Arrays", given or ()))
            if len(arrays[name]) > 4:
                raise InputError(
                    f"expected X_val, y_val, X_test and y_test, got {len(arrays[name])} arrays", file="data"
                )
            example = first_of(source, *arrays[name][:1])
            loaded = load(source, example=example, detector=detector, trust_pickle=trusted)
            programs[name] = str(loaded.module)
        return _Problem(programs, arrays, options, {name: _digest(programs[name], arrays[name]) for name in programs})

    def key(self, case: _Case) -> str:
        # Without the board's compiler or simulator a row has fewer figures.
        tools = [package.is_installed() for package in chip_of(case.board).packages], runners.is_available(case.board)
        asked = version(DISTRIBUTION), tools, case.board, case.format, case.search, sorted(self.options.items())
        return hashlib.sha256(f"{asked} {self.digests[case.model]}".encode()).hexdigest()[:16]


def _measured(problem: _Problem, cases: Sequence[_Case]) -> list[SweepRow]:
    return [_row(problem, case) for case in cases]


def _row(problem: _Problem, case: _Case) -> SweepRow:
    row = SweepRow(**asdict(case), key=problem.key(case))
    x_val, y_val, x_test, y_test = (*problem.data[case.model], None, None, None, None)[:4]
    module = parse_mlir(context(), problem.programs[case.model].encode(), case.model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CompileWarning)
        try:
            options: Any = {**problem.options, **case.options}
            made = compile(
                Model(case.model, module), x_val, y_val, board=case.board, X_test=x_test, y_test=y_test, **options
            )
        except InputError as error:
            return replace(row, error=str(error))
    report = made.report
    figures = figures_of(report)
    floats = figures["time from floats"].value
    return replace(
        row,
        chosen=spell_format(report),
        accuracy=report.accuracy,
        accuracy_float=report.accuracy_float,
        other_answers=report.disagreements,
        samples=report.samples,
        unit=report.unit,
        time=report.time_per_inference,
        float_time=floats if isinstance(floats, float) else None,
        core_cycles=report.core_cycles_per_inference,
        milliseconds=report.milliseconds_per_inference,
        flash=report.flash_bytes,
        ram=report.ram_bytes.total,
        arena=report.ram_bytes.arena,
        warnings="; ".join(warning["text"] for warning in report.warnings) or None,
    )


def _checked(options: Mapping[str, object]) -> dict[str, Any]:
    for name in ("journal", "resume"):
        if name in options:
            raise TypeError(f"sweep() got an unexpected keyword argument '{name}': csv stores completed rows")
    for name in VARIED_OPTIONS.keys() & options.keys():
        raise TypeError(f"sweep() got an unexpected keyword argument '{name}', did you mean '{VARIED_OPTIONS[name]}'?")
    return checked_values("sweep", options, compile_keywords(options))


def _check(
    formats: Sequence[str], boards: Sequence[str], searches: Sequence[str | None], values: Mapping[str, Any]
) -> None:
    asked: dict[str, Sequence[object]] = {"formats": formats, "boards": boards, "searches": searches}
    for name, given in asked.items():
        if isinstance(given, str) or not given or not all(isinstance(one, str | None) for one in given):
            raise InputError(f"expected a sequence of names, got {given!r}", file=name)
    for format in formats:
        if format != AUTO_FORMAT:
            format_spelled(context(), format)
    for name in boards:
        board(name)
    for case in (_Case("", *each) for each in product(boards, formats, searches)):
        options = {name: value for name, value in case.options.items() if value is not None}
        compile_request({**values, **options, "target": case.board, "model": Path(), "out": Path()})


def _named(models: object) -> Mapping[str, object]:
    """Models by name. The name is the key of a mapping, the name of a `Model`, the stem of a path, or the class name of
    any other object.

    Raises `InputError` for models that are neither a sequence nor a mapping from texts, and for two models of the same
    name.
    """
    if isinstance(models, Mapping):
        if not all(isinstance(name, str) for name in cast("Mapping[object, object]", models)):
            raise InputError("expected texts as names", file="models")
        return cast("Mapping[str, object]", models)
    if isinstance(models, str | os.PathLike) or not isinstance(models, Sequence):
        raise InputError("expected a sequence of models, or a mapping from names to models", file="models")
    named: dict[str, object] = {}
    for model in cast("Sequence[object]", models):
        name = Path(cast("str", model)).stem if isinstance(model, str | os.PathLike) else type(model).__name__
        name = model.name if isinstance(model, Model) else name
        if name in named:
            raise InputError(f"two models have the name '{name}': pass a mapping from names to models", file="models")
        named[name] = model
    return named


def _of_folder(model: object) -> tuple[object, Arrays | None]:
    path = Path(cast("str", model)) if isinstance(model, str | os.PathLike) else None
    if path is None or not path.is_dir():
        return cast("object", model), None
    program, val, test = find_model(path)
    return program, (val, None, test, None)


def _digest(program: str, arrays: Arrays) -> str:
    digest = hashlib.sha256(program.encode())
    for array in arrays:
        digest.update(_content(array))
    return digest.hexdigest()


def _content(array: object) -> bytes:
    """The bytes that identify data in a hash: the type, names and numbers of an array, or the content of a file."""
    if array is None:
        return b"-"
    if isinstance(array, str | os.PathLike):
        return read_bytes(Path(cast("str", array)), "data")
    if (parts := parts_of(array)) is not None:
        named = parts.items() if isinstance(parts, Mapping) else enumerate(parts)
        return b"".join(f"{name} ".encode() + _content(part) for name, part in named)
    values = array_of(array, "data")
    names = column_names(array)
    numbers = repr(values.tolist()).encode() if values.dtype.kind == "O" else np.ascontiguousarray(values).tobytes()
    return f"{names} {values.dtype.str} {values.shape} ".encode() + numbers
