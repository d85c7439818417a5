"""`name-classes`: sets the names of the classes of a classifier (L0, L1).

A program computes the index of a class. Estimators of scikit-learn store the labels of their classes. Other models do
not, so the user provides them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp, TensorType
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.ir.outputs import CLASS, SCORES


@dataclass(frozen=True)
class NameClassesPass(ConditionalPass):
    """Set `classes` of the interface to the labels of a program's classes. The new labels replace existing labels.

    Data sets still contain the integers that were the labels before. `trained` of the interface stores these integers.

    classes: a name for each class, in the order of their indices; without names the pass changes nothing.
    outputs: `class` if `drop-monotone` will add the computation of a class to a program that returns only scores.

    Raises `InputError` if the numbers of names and classes differ, for equal or empty names, and for a program that
    computes no class.
    """

    name = "name-classes"
    classes: tuple[str, ...] | None = None
    outputs: str = SCORES

    def obstacle(self, module: ModuleOp) -> str | None:
        return "only if classes" if self.classes is None else None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.classes is None:
            return
        given, count = len(self.classes), _count(op, self.outputs)
        if given != count:
            names = "name" if given == 1 else "names"
            raise InputError(f"--classes has {given} {names}, the model has {count} classes: {', '.join(self.classes)}")
        if not all(self.classes):
            raise InputError(f"--classes has an empty name: '{','.join(self.classes)}'")
        known = tdsl.read_interface(op)
        trained = known.classes if known.classes is not None and isinstance(known.classes[0], int) else known.trained
        try:
            tdsl.update_interface(op, classes=self.classes, trained=trained)
        except VerifyException as error:
            raise InputError(f"--classes: {error}") from error


def _count(module: ModuleOp, outputs: str) -> int:
    end = predict_function(module).get_return_op()
    assert end is not None
    label = next((value for value in end.operands if isinstance(value.type, IndexType)), None)
    compared = next((value for value in end.operands if isinstance(value.type, TensorType)), None)
    if label is not None and isinstance(label.owner, tdsl.ArgmaxOp | tdsl.SignOp):
        compared = label.owner.input
    if compared is None or (label is None and outputs != CLASS):
        scores = prod(() if compared is None else tdsl.shape_of(compared))
        help = f": --outputs {CLASS} lets it decide by its {scores} scores" if scores > 1 else ""
        raise InputError(f"--classes names classes, but the model computes none{help}")
    # A single number decides between two classes.
    return max(prod(tdsl.shape_of(compared)), 2)
