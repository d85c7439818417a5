"""The record of a compilation, which the steps of `compile_model` fill one after another, and the report reads.

The report takes the type of the record, and a step makes the report: the record is a file apart from both.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.context import Context

from tinyml.dialects.context import context
from tinyml.tools.driver.data_faults import NO_FAULTS, DataFaults
from tinyml.tools.driver.measure import NO_ACCURACY, Accuracy
from tinyml.tools.driver.output_folder import MEASURED_SAMPLES

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.lowering.frontends.sklearn.fitted import OwnAnswers
    from tinyml.runtime.model.data import Data
    from tinyml.targets.board import Board
    from tinyml.tools.cli.progress import Progress
    from tinyml.tools.driver.choice.choose import AutoChoice
    from tinyml.tools.driver.measure import Measured, Mismatch, RoundingLoss
    from tinyml.tools.driver.packages.packaging import Packaging
    from tinyml.tools.driver.request import Request, SearchAccount
    from tinyml.tools.driver.stages import Compiled
    from tinyml.tools.reports.report_fields import Report


@dataclass(kw_only=True, eq=False, repr=False)
class Compilation:
    """What is known of a compilation, from the request to the report.

    The first fields say what was asked, as in `build_folder`. Each of the others is written by one step, but for
    `request`, which begins as `requested` and gets the options that a search, a limit or `auto` decides, and on an FPGA
    `compiled`, which is chosen again where it takes too many cells.

    program: as imported, with the interface that is asked for. kept: true if it keeps the number formats that it came
    with. imported, own: the program before its interface was adapted, and the predictions of the estimator that it was
    imported from; None without an estimator whose inputs the program takes. val: on which formats are chosen. data: on
    which the program is evaluated, and of which a few samples are measured. choice: of `auto`, if it chose. hardware:
    the cells of an FPGA that a module takes. faults: of `val`. rounding: None if no sums are rounded in between.
    measured: None if the tools of the device are not installed. mismatch: the first output that the device does not
    compute as the evaluator does.
    """

    requested: Request
    board: Board
    folder: Path
    must_fit: bool
    packagings: Sequence[Packaging]
    pages: bool
    progress: Progress

    start: float = field(default_factory=time.perf_counter)
    ctx: Context = field(default_factory=context)
    request: Request = field(init=False)
    program: ModuleOp = field(init=False)
    kept: bool = field(init=False)
    imported: ModuleOp | None = None
    own: OwnAnswers | None = None
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
    report: Report = field(init=False)

    def __post_init__(self) -> None:
        self.request = self.requested

    @property
    def samples(self) -> NDArray[Any]:
        """The inputs that are measured: (samples, ...), `MEASURED_SAMPLES` at most."""
        return self.data.x[:MEASURED_SAMPLES]
