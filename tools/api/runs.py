"""Runs of a compiled program by the evaluator, on boards and over recordings, and what is measured."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.interface import read_interface
from tinyml.runtime.devices import registry
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, in_reals
from tinyml.runtime.model.data import Data
from tinyml.runtime.model.program_data import answers_of, load_program_data, reals_of
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.targets.registry import HOST, chip_of
from tinyml.tools.api.arguments import python_terms, text
from tinyml.tools.api.data_files import Inputs, array_of, write_data
from tinyml.tools.cli.progress import SILENT
from tinyml.tools.driver.measure import check_equal
from tinyml.tools.driver.output_folder import SAMPLES
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.reports.tables import text_for_terminal, time_unit
from tinyml.transforms.formats.evaluation import answers
from tinyml.transforms.formats.evaluation.metrics import ACCURACY, measure_of

if TYPE_CHECKING:
    from tinyml.tools.driver.heard import Heard

_HEARD_IN = "tinyml.tools.driver.listen:heard_in"
_EXPLAIN = "tinyml.tools.driver.explain_model"


def evaluated(formats: ModuleOp, X: object, y: object, raw: bool, heed: Callable[[Data], None]) -> tuple[Outputs, Data]:
    """Run a program on X. Return its outputs, and the data that consist of X and the classes or values y, as `compile`
    interprets them.

    formats: the program at L1.
    raw: as for `Program.predict`.
    heed: called with the data before the run.

    Raises `InputError` if X is None, and for data that do not match the model.
    """
    if X is None:
        raise InputError("expected an array, got None", file="X")
    with quiet(X, Inputs.of(formats, raw), y) as file:
        assert file is not None
        # A caller who numbers clusters as the program does may measure the share of equal clusters.
        known = replace(answers_of(formats), clusters=False)
        data = load_program_data(formats, str(file), known)
        heed(data)
        return evaluate(formats, encode_inputs(formats, data.x)), data


def figure(formats: ModuleOp, metric: str, outputs: Outputs, data: Data) -> float:
    """The value of a metric for the outputs of a program on data.

    Raises `InputError` for a metric that cannot be computed from the outputs and the data alone.
    """
    measure = measure_of(metric, answers.answers_of(in_reals(formats, outputs), data, read_interface(formats)))
    if measure.metric.figure is None:
        help = ": leave it out" if metric == ACCURACY else ", and is for searches"
        raise InputError(f"the metric '{metric}' cannot be computed from answers only{help}")
    return measure.on_reals


def measured(
    folder: Path, formats: ModuleOp, X: object, device: str, *, raw: bool, optimize: str, limit: int | None = None
) -> Measurements:
    """The measurements of the program in a folder; arguments and errors are those of `Program.measure`."""
    if not registry.is_available(device):
        if why := (None if device in registry.DEVICES.names() else chip_of(device).not_run):
            raise InputError(f"{device} cannot run here: {why}")
        raise InputError(f"the compiler or the simulator of {device} is not installed: tinyml doctor says what is")
    with quiet(X, Inputs.of(formats, raw)) as file:
        data = folder / SAMPLES if file is None else file
        request = RunRequest(folder=folder, data=data, device=device, limit=limit, optimize=optimize)
        result = copy_context().run(run_model, request)
        check_equal(result["mismatch"], device, folder)
    return Measurements.of(result)


def listened(
    folder: Path, formats: ModuleOp, samples: object, rate: float | None, board: str | None, *, raw: bool
) -> Heard:
    """What the program in a folder hears; arguments and errors are those of `Program.listen`."""
    inputs = Inputs.of(formats, raw)
    sound = array_of(samples, "samples")
    if sound.ndim != 1 or sound.dtype.kind not in ("iu" if inputs.raw else "iuf"):
        kinds = "integers" if inputs.raw else "numbers"
        raise InputError(f"expected {kinds} in one row, got {sound.dtype} {list(sound.shape)}", file="samples")
    if not np.isfinite(sound).all():
        raise InputError("expected finite samples, got NaN or infinity", file="samples")
    device = HOST if board is None else text("board", board)
    with quiet() as _:
        raws = sound.dtype.kind != "f" and inputs.integers
        sound = reals_of(formats, sound) if raws else sound.astype(np.float32)
        return copy_context().run(imported(_HEARD_IN), folder, sound, rate, device=device)


def explained(folder: Path) -> Explanation:
    """The explanation of the program in a folder; errors are those of `Program.explain`."""
    with quiet() as _:
        return Explanation(copy_context().run(imported(f"{_EXPLAIN}:explain_model"), folder))


@contextmanager
def quiet(X: object = None, inputs: Inputs | None = None, y: object = None) -> Generator[Path | None]:
    """A context without progress output, in which errors name arguments.

    Yields a file with the inputs and, if given, their classes or values; None without inputs.
    """
    token = SILENT.set(True)
    try:
        with temporary_folder() as temporary:
            file = temporary / "x.npz"
            with python_terms({file: ("X", "y")}):
                yield None if X is None or inputs is None else write_data(file, X, y, ("X", "y"), inputs)
    finally:
        SILENT.reset(token)


@dataclass(frozen=True, kw_only=True)
class Measurements:
    """Measurements of a program on a board; all raw outputs equal the evaluator's outputs.

    board: the name of the board.
    optimize: the optimisation level of the C compiler.
    samples: the number of inferences.
    unit: cycles or instructions.
    time: the mean time of an inference in that unit; None on a board without counters.
    core_cycles: the mean number of cycles by the published timing of the core; None if no timing is published.
    milliseconds: the mean time at the clock frequency of the board; None if it is unknown.
    time_source: `simulated`, `published` (the timing of the core, without wait states of memories), `modelled` (a model
        of the core) or `least` (one cycle for each instruction).
    flash_bytes: the size of the linked program.
    static_bytes: .data and .bss.
    stack_bytes: the peak of the stack.
    ram_bytes: the sum of static_bytes and stack_bytes.
    float_time, float_flash_bytes, float_ram_bytes: time, flash and RAM with an array of floats as the input; None for
        an input without a float interface, on the host, and if the array does not fit the memory.
    """

    board: str
    optimize: str
    samples: int
    unit: str
    float_time: float | None
    time: float | None
    core_cycles: float | None
    milliseconds: float | None
    time_source: str | None
    flash_bytes: int
    static_bytes: int
    stack_bytes: int
    float_flash_bytes: int | None
    float_ram_bytes: int | None

    @property
    def ram_bytes(self) -> int:
        return self.static_bytes + self.stack_bytes

    @staticmethod
    def of(result: Mapping[str, Any]) -> Measurements:
        """The measurements from the result of `run_model`."""
        unit = time_unit(dict(result))
        floats: Mapping[str, Any] = result["float_inputs"] or {}
        return Measurements(
            board=result["device"],
            optimize=result["optimize"].removeprefix("-"),
            samples=result["samples"],
            unit=unit,
            time=result[f"{unit}_per_inference"],
            core_cycles=result["core_cycles_per_inference"],
            milliseconds=result["milliseconds_per_inference"],
            time_source=result["time_source"],
            flash_bytes=result["flash_bytes"],
            static_bytes=result["ram_bytes"]["static"],
            stack_bytes=result["ram_bytes"]["stack"],
            float_time=floats.get(f"{unit}_per_inference"),
            float_flash_bytes=floats.get("flash_bytes"),
            float_ram_bytes=floats.get("ram_bytes"),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """The time, flash and RAM of each operation of a program; `str` returns the tables of `tinyml open --text`.

    figures: the content of `tinyml open --json`.
    """

    figures: Mapping[str, Any]

    @cached_property
    def text(self) -> str:
        """The tables as text."""
        return text_for_terminal(lambda: imported(f"{_EXPLAIN}:print_explanation")(dict(self.figures)))

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"
