"""`decide-class`: lets a program that returns only scores also return a class, if the data or names show that it
classifies (L0, L1).

Many networks for two classes have a single output: a probability, or the argument of the sigmoid that computes the
probability. Their files do not state that the output is a score. Quantised files do not state whether their outputs are
scores for any number of classes. A program is shown to classify if the data set contains classes or the user names
classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals, in_reals, predict_function
from tinyml.runtime.model.answers import Answers, are_one_hot
from tinyml.runtime.model.program_data import load_program_data
from tinyml.transforms.ir.outputs import add_label, argument_of_sigmoid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.runtime.model.data import Data


@dataclass(frozen=True)
class DecideClassPass(ModulePass):
    """Let a program whose only result is scores also return the index of a class. Programs that return anything other
    than scores, and anomaly detectors, are unchanged.

    Of several scores, the greatest determines the class, if `y` of the data set has a class for each sample, or if
    there is a name for each score. Rows of `y` with one 1 and otherwise zeros (one-hot) are classes if a softmax
    computes the scores, or if the scores predict `y` worse than its mean and the class better than the most frequent
    class.

    A single score decides between two classes if there are two names, or if all `y` are 0 or 1, or -1 or 1. These
    numbers are then the labels of the classes. Without names, the score decides on a class only if a sigmoid computes
    it, or if it predicts the number `y` worse than the mean and the class better than the most frequent class.

    A single score that a sigmoid computes is compared with 1/2. Any other single score is compared with 1/2 if the
    program is on reals, and if the scores of all samples of the data lie in [0, 1] and are not all equal. Otherwise it
    is compared with 0.

    data: .npz file.
    names: the names of the classes.

    Raises `InputError` for a data file that does not match the program.
    """

    name = "decide-class"
    data: str | None = None
    names: tuple[str, ...] | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function, interface = predict_function(op), tdsl.read_interface(op)
        end = function.get_return_op()
        assert end is not None
        if len(end.operands) != 1 or interface.threshold is not None or interface.calls is not None:
            return
        [scores] = end.operands
        if not isinstance(scores.type, TensorType):
            return
        shape = tdsl.shape_of(scores)
        count = prod(shape)
        if count != max(shape, default=1):
            return
        named = self.names is not None and len(self.names) == max(count, 2)
        if count > 1:
            if named or (self.data is not None and _has_classes(op, scores, load_program_data(op, self.data))):
                add_label(function, scores)
            return
        if named:
            values = None if self.data is None else load_program_data(op, self.data, Answers(clusters=True)).x
            add_label(function, _compared(op, scores, values))
        elif self.data is not None:
            data = load_program_data(op, self.data)
            if (labels := _two_labels(data)) is not None and _tells_classes(op, scores, data):
                add_label(function, _compared(op, scores, data.x))
                if labels != (0, 1):
                    tdsl.update_interface(op, classes=labels)


def _has_classes(op: ModuleOp, scores: SSAValue, data: Data) -> bool:
    if data.targets is None or not are_one_hot(data.targets):
        return data.y is not None
    maker = tdsl.unreshaped(scores).owner
    while isinstance(maker, tdsl.CastOp):
        maker = tdsl.unreshaped(maker.input).owner
    if isinstance(maker, tdsl.SoftmaxOp):
        return True
    values = _values(op, data.x).reshape(data.targets.shape)
    right = float((values.argmax(1) == data.targets.argmax(1)).mean())
    missed = np.square(values - data.targets).mean()
    return float(missed) > float(data.targets.var(0).mean()) and right > float(data.targets.mean(0).max())


def _two_labels(data: Data) -> tuple[int, int] | None:
    """The two class labels, (0, 1) or (-1, 1), if a data set has one target for each sample and its values are among
    these labels. None for other values.
    """
    if data.targets is None or data.targets.shape[1] != 1:
        return None
    found = set(np.unique(data.targets).tolist())
    return next((labels for labels in ((0, 1), (-1, 1)) if found <= set(labels)), None)


def _tells_classes(op: ModuleOp, scores: SSAValue, data: Data) -> bool:
    """Whether a single score separates two classes instead of predicting a number: a sigmoid computes it, or it
    predicts `y` worse than the mean does, and the class better than the most frequent class does.
    """
    assert data.targets is not None
    if argument_of_sigmoid(scores) is not None:
        return True
    values, wanted = _values(op, data.x), data.targets[:, 0]
    second = wanted > 0
    right, share = float(((values > 0) == second).mean()), float(second.mean())
    return float(np.square(values - wanted).mean()) > float(wanted.var()) and right > max(share, 1 - share)


def _compared(op: ModuleOp, scores: SSAValue, x: NDArray[np.floating[Any]] | None) -> SSAValue:
    """Insert ops that compute a value that is positive if the second class is chosen, and return the value.

    x: samples, from which the threshold of the score follows; None to compare a score that no sigmoid computes with 0.
    """
    if (argument := argument_of_sigmoid(scores)) is not None:
        return argument
    if x is None or tdsl.has_formats(op) or not _are_shares(_values(op, x)):
        return scores
    half = tdsl.ConstOp(np.full(tdsl.shape_of(scores), 0.5, np.float32), F32_FORMAT)
    above = tdsl.SubOp(scores, half.result)
    assert above.result is not None
    Rewriter.insert_op([half, above], InsertPoint.after(cast("Operation", scores.owner)))
    return above.result


def _values(op: ModuleOp, x: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    kept = tdsl.has_formats(op)
    scores = (in_reals(op, evaluate(op, encode_inputs(op, x))) if kept else evaluate_reals(op, x)).scores
    assert scores is not None
    return scores.ravel()


def _are_shares(values: NDArray[np.floating[Any]]) -> bool:
    return bool(((values >= 0) & (values <= 1)).all() and np.ptp(values) > 0)
