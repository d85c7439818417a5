"""Warnings about programs that lose accuracy or time for a reason that is known, each with its cure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects.formats.lookup import USUAL_FORMAT
from tinyml.tools.driver.requests.request import AUTO_FORMAT
from tinyml.transforms.ir.outputs import CLASS

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.targets.board import Board
    from tinyml.tools.driver.stages import Compiled
    from tinyml.transforms.ir.cost.shares import TimeShares

LOST_POINTS = 2.0
"""Points of accuracy beyond which a loss is worth a warning."""

OTHER_ANSWERS = 0.05
"""The share of samples beyond which other answers are."""

LARGE_SHARE = 0.2
"""The share of the estimated time beyond which what takes it is."""

CHOOSE_FORMAT = f"--format {AUTO_FORMAT} finds formats that lose less"


@dataclass(frozen=True)
class Findings:
    """The report of a program, and shares of its time, None on a target of unknown costs: warnings depend on these."""

    report: dict[str, Any]
    shares: TimeShares | None

    @property
    def lost(self) -> float:
        """Points of accuracy lost; 0 without labels."""
        exact, compiled = self.report["accuracy_float"], self.report["accuracy"]
        return 0.0 if exact is None or compiled is None else exact - compiled

    @property
    def other(self) -> float:
        """The share of samples with another answer."""
        return self.report["disagreements"] / max(self.report["samples"], 1)

    def share(self, cause: str) -> float:
        """The share of a cause in the time, by the name of a field of `TimeShares`; 0 where it is not known."""
        return 0.0 if self.shares is None else getattr(self.shares, cause)

    @property
    def by_choice(self) -> bool:
        """True if the format was chosen by `auto`, so that it cannot be the cure."""
        return self.report["chosen"] is not None


@dataclass(frozen=True)
class WarningRule:
    """A row of `WARNINGS`.

    name: in reports. applies: the condition. text: what was found. cure: what helps.
    """

    name: str
    applies: Callable[[Findings], bool]
    text: Callable[[Findings], str]
    cure: Callable[[Findings], str]


def _of_format(found: Findings) -> str:
    if found.by_choice:
        return "no format that fits loses less: a larger board or --loss decides"
    return CHOOSE_FORMAT


def _slow(name: str, cause: str, what: str, cure: str) -> WarningRule:
    """A warning about something that takes more than a fifth of the time."""
    return WarningRule(
        name,
        lambda found: found.share(cause) > LARGE_SHARE,
        lambda found: f"{what} takes {found.share(cause):.0%} of the time",
        lambda found: cure,
    )


WARNINGS = (
    WarningRule(
        "accuracy",
        lambda found: found.lost > LOST_POINTS,
        lambda found: f"loses {found.lost:.1f} points of accuracy",
        _of_format,
    ),
    WarningRule(
        "answers",
        lambda found: found.other > OTHER_ANSWERS,
        lambda found: f"answers otherwise than the model for {found.other:.1%} of the samples",
        _of_format,
    ),
    WarningRule(
        "unmet loss",
        lambda found: found.by_choice and not found.report["chosen"]["qualifies"],
        lambda found: f"nothing that fits loses as little as {found.report['chosen']['permitted_loss']:g} points",
        lambda found: "--loss allows more; a larger board may have room for more bits",
    ),
    _slow("softmax", "softmax", "softmax", f"--outputs {CLASS} leaves it out: the class does not need it"),
    _slow("scaler", "scaler", "scaling the input", "--feature-scales or --fold-affine let the first layer absorb it"),
    _slow(
        "wide sums",
        "wide_sums",
        "arithmetic on integers of 64 bits",
        f"--width 16 with --weights {USUAL_FORMAT}:8, or --width 8, have sums of 32 bits",
    ),
    _slow("floats", "soft_floats", "arithmetic on floats in software", f"--format {AUTO_FORMAT} computes in integers"),
)
"""The warnings, in the order in which they are printed."""


def warnings_of(report: dict[str, Any], compiled: Compiled, board: Board) -> list[dict[str, str]]:
    """The warnings about a program that its report and its estimated time give reason for."""
    from tinyml.transforms.ir.cost.shares import time_shares

    found = Findings(report, time_shares(compiled.loops, board.name, scalers_of(compiled.buffers)))
    return [
        {"name": row.name, "text": row.text(found), "cure": row.cure(found)} for row in WARNINGS if row.applies(found)
    ]


def scalers_of(buffers: ModuleOp) -> list[str]:
    """The names of the operations of a program at L2 that scale the input: elementwise ops of it and of constants."""
    from tinyml.dialects.functions import defined_functions
    from tinyml.dialects.locations import source_names
    from tinyml.lowering.loops.operation_names import name_operations

    module = buffers.clone()
    name_operations(module)
    scaled = {argument for function in defined_functions(module) for argument in function.body.block.args}
    return [names[0] for op in _scaling(module, scaled) if (names := source_names(op))]


def _scaling(buffers: ModuleOp, scaled: set[Any]) -> Iterator[Any]:
    from tinyml.dialects import scratch, tdsl

    for op in buffers.walk():
        if isinstance(op, scratch.ViewOp) and op.input:
            scaled.add(op.result)
        if not isinstance(op, tdsl.ElementwiseOp) or op.dest is None:
            continue
        given = [value in scaled for value in op.inputs]
        constants = [isinstance(scratch.root(value).owner, scratch.ConstantOp) for value in op.inputs]
        if any(given) and any(constants) and all(map(max, given, constants)):
            scaled.add(op.dest)
            yield op
