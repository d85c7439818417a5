"""`set-threshold`: turns a program with one score into an anomaly detector with a given rate of false alarms (L0,
L1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals, in_reals
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.program_data import load_program_data


@dataclass(frozen=True)
class SetThresholdPass(ModulePass):
    """Set `threshold` of the interface so that at most a given fraction of the normal samples of a data set lies
    below it.

    A sample whose score lies below the threshold is an anomaly.

    data: .npz file with inputs `x` and optionally `y`, which is 1 for normal samples and -1 for anomalies; without
        `y` all samples count as normal.
    false_alarms: the fraction in [0, 1); None leaves the threshold unchanged.

    Raises `InputError` for an invalid fraction, for a program that returns anything but one score, for a data file
    that does not match the program, and for a data file without normal samples.
    """

    name = "set-threshold"
    data: str
    false_alarms: float | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.false_alarms is None:
            return
        if not 0 <= self.false_alarms < 1:
            raise InputError(f"--false-alarms is a share from 0 to less than 1, got {self.false_alarms:g}")
        interface = interface_of(op)
        if interface.has_label or interface.output_length != 1 or interface.more_outputs:
            raise InputError(
                "--false-alarms: a detector gives one score, greater for more normal samples, and no class; a k-means "
                "or a PCA behind a front end becomes one by load(..., detector=True)"
            )
        # With a threshold, `y` denotes anomalies.
        tdsl.update_interface(op, threshold=0.0)
        data = load_program_data(op, self.data)
        x = data.x if data.targets is None else data.x[data.targets[:, 0] > 0]
        if not len(x):
            raise InputError("`y` contains only anomalies: false alarms are counted on normal samples", file=self.data)
        outputs = in_reals(op, evaluate(op, encode_inputs(op, x))) if tdsl.has_formats(op) else evaluate_reals(op, x)
        assert outputs.scores is not None
        scores = np.sort(outputs.scores.ravel().astype(np.float64))
        # A share such as 0.29 of 100 samples may be slightly less than 29 of them.
        below = math.floor(self.false_alarms * len(scores) + 1e-6)
        # Halfway between two samples, rounding of either changes no decision; close ones may round to one float. If
        # none may lie below, the gap to the next greater one determines the distance.
        least, above = scores[below], scores[scores > scores[below]]
        other = scores[below - 1] if below else 2 * least - above[0] if len(above) else least
        threshold = np.float32((least + other) / 2)
        if threshold > scores[below]:
            threshold = np.nextafter(threshold, np.float32(-np.inf))
        tdsl.update_interface(op, threshold=float(threshold))
