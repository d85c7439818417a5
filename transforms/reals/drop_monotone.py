"""`drop-monotone`: removes functions that preserve the order of scores if only the class is requested (L0).

Softmax, sigmoid and a positive factor take time. In a number format they round and saturate, so that unequal scores
become equal. `compare-arguments` removes functions that only `tdsl.argmax` reads. On request, this pass also removes
functions whose results the program returns. The program then returns the numbers that it compares.

The class changes only if unequal scores were rounded to equal scores. The class was then the first of these scores, and
is now the greatest of them. A single score that was rounded to its threshold may change sides likewise.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.transforms.ir.outputs import CLASS, OUTPUTS, SCORES
from tinyml.transforms.reals.analysis.compared_scores import return_compared_scores


@dataclass(frozen=True)
class DropMonotonePass(ModulePass):
    """Change a program to return a label, and remove increasing functions before the comparison that determines the
    label.

    The label is computed by `tdsl.argmax` from a vector of scores, and by `tdsl.sign` from a single score. A single
    score means class 1 if it is positive or, if a sigmoid computes it, above 1/2. Results that are computed only from
    the compared numbers are replaced by these numbers.

    outputs: `class`; with `scores`, the default, the program is unchanged.

    Raises `InputError` for a value of `outputs` other than `class` and `scores`. With `class`, it is also raised for an
    anomaly detector, and for a result that is neither a vector of scores nor a single score.
    """

    name = "drop-monotone"
    outputs: str = SCORES

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.outputs not in OUTPUTS:
            raise InputError(f"unknown outputs '{self.outputs}'; there are {', '.join(OUTPUTS)}")
        if self.outputs != CLASS:
            return
        if tdsl.read_interface(op).threshold is not None:
            raise InputError(
                f"leave out --outputs {CLASS}: a detector of anomalies gives a score, which NAME_is_anomaly compares "
                "with the threshold"
            )
        return_compared_scores(op)
