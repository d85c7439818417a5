"""The record of a compilation, which the steps of `compile_model` fill sequentially and the report reads.

The report needs the type of the record, and a step creates the report. The record therefore has a separate file.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.context import Context

from tinyml.dialects.context import context
from tinyml.tools.driver.measure import NO_ACCURACY, Accuracy, Measured, Mismatch, RoundingLoss
from tinyml.tools.driver.output_folder import MEASURED_SAMPLES
from tinyml.tools.reports.facts.faults import NO_FAULTS, DataFaults

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.lowering.frontends.model_predictions import Predictor
    from tinyml.runtime.model.data import Data
    from tinyml.targets.board import Board
    from tinyml.tools.cli.progress import Progress
    from tinyml.tools.driver.choice.choose import AutoChoice
    from tinyml.tools.driver.compiled_program import Compiled
    from tinyml.tools.driver.packages.packaging import Packaging
    from tinyml.tools.driver.request import Request, SearchAccount
    from tinyml.tools.reports.facts.faster_program import FasterProgram
    from tinyml.tools.reports.report_views import Report


@dataclass(kw_only=True, eq=False, repr=False)
class Compilation:
    """The state of a compilation, from the request to the report.

    The first fields are the request, as in `build_folder`. One step writes each of the other fields, with two
    exceptions. `request` begins as `requested` and receives the options that a search, a limit or `auto` determines. On
    an FPGA, `compiled` is replaced if it needs too many cells.

    progress: shows the current step.
    start: the time at which the compilation began, in seconds.
    program: the imported program with the requested interface.
    kept: true if the program preserves its number formats.
    imported: the program before its interface was adapted.
    own: the predictions of the source estimator; None without an estimator whose inputs the program accepts.
    val: the data that determine formats.
    data: the data for evaluation, of which a few samples are measured.
    account: the effort of searches.
    compiled: the program at all levels.
    choice: the choice of `auto`; None without `auto`.
    hardware: the cells of an FPGA that a module uses; None for processors.
    accuracies: the accuracy on reals and in formats.
    faults: the faults of `val`.
    rounding: the loss caused by rounded partial sums; None if no partial sums are rounded.
    measured: the measurements on the device; None if its tools are not installed.
    mismatch: the first output on which device and evaluator differ; None if there is none.
    effects: the lines on the effects of passes (`pass_effects`), if `shows_effects` is true.
    faster: a program of other options that takes less than a third of the time; None if none is known.
    """

    requested: Request
    board: Board
    folder: Path
    must_fit: bool
    packagings: Sequence[Packaging]
    pages: bool
    progress: Progress
    shows_effects: bool = False

    start: float = field(default_factory=time.perf_counter)
    ctx: Context = field(default_factory=context)
    request: Request = field(init=False)
    program: ModuleOp = field(init=False)
    kept: bool = field(init=False)
    imported: ModuleOp | None = None
    own: Predictor | None = None
    val: Data | None = None
    data: Data = field(init=False)
    account: SearchAccount = field(init=False)
    compiled: Compiled = field(init=False)
    choice: AutoChoice | None = None
    hardware: dict[str, Any] | None = None
    accuracies: Accuracy = NO_ACCURACY
    faults: DataFaults = NO_FAULTS
    rounding: RoundingLoss | None = None
    measured: Measured | None = None
    mismatch: Mismatch | None = None
    faster: FasterProgram | None = None
    report: Report = field(init=False)
    effects: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.request = self.requested

    @property
    def samples(self) -> NDArray[Any]:
        """The measured inputs: (samples, ...), at most `MEASURED_SAMPLES`."""
        return self.data.x[:MEASURED_SAMPLES]
