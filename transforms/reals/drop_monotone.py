"""`drop-monotone`: functions that preserve the order of scores are dropped if only the class is requested.

Softmax, sigmoid and a positive factor take time, and in a format they round and saturate, so that unequal scores tie.
`compare-arguments` drops functions that only `tdsl.argmax` reads; this pass, on request, also drops functions whose
results the program returns. The program then returns the numbers that it compares.

The class is unchanged except if unequal scores were rounded to equal ones: then the first was the class, now the
greatest is. The same applies to a single score that was rounded to its threshold.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.transforms.ir.outputs import CLASS, OUTPUTS, SCORES


@dataclass(frozen=True)
class DropMonotonePass(ModulePass):
    """Make a program return a label, and drop increasing functions before the comparison that decides on it.

    A vector of scores gets a `tdsl.argmax`, a single score a `tdsl.sign`: class 1 is that of a positive score, or of a
    sigmoid above 1/2. The program returns the compared numbers instead of results that are computed only from them.

    outputs: `class`; `scores`, the default, changes nothing. Raises `InputError` for anything else, for a detector of
    anomalies, and for a result that is neither a vector of scores nor a single one.
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
        from tinyml.transforms.reals.analysis.compared_scores import return_compared_scores

        return_compared_scores(op)
