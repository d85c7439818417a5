"""Missing values of a program's argument: the elements of tensors that depend on them, and the values that imputation
assigns to these elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.dead_code_elimination import dce

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.reals.analysis.affine_functions import AffineFunction, extended, in_shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Reals


@dataclass(frozen=True)
class Origin:
    """The origin of each element of a tensor, in arrays of the tensor's shape.

    elements: the row-major index of the argument's element; -1 for none.
    function: the affine function that computes the tensor's element from the argument's element.
    fills: the replacement of a missing value; NaN if the value stays missing.
    """

    elements: NDArray[np.int64]
    function: AffineFunction
    fills: Reals

    def imputed(self, values: Reals) -> Origin:
        return replace(self, fills=np.where(np.isnan(self.fills), values, self.fills))

    def arguments(self, values: Reals) -> Reals:
        """For each element of the tensor, the value of the argument's element at which the tensor's element
        equals `values`.

        NaN for elements that cannot be missing.
        """
        open = (self.elements >= 0) & np.isnan(self.fills) & (self.function.factors != 0)
        factors = np.where(open, self.function.factors, 1.0)
        return np.where(open, (values - self.function.addends) / factors, np.nan)


def origins(function: func.FuncOp) -> Mapping[SSAValue, Origin]:
    """For each tensor that contains only moved, scaled or imputed elements of a program's argument, the origins of
    its elements.
    """
    [argument] = function.body.block.args
    shape = tdsl.shape_of(argument)
    numbers = np.arange(np.prod(shape, dtype=np.int64)).reshape(shape)
    found: dict[SSAValue, Origin] = {argument: Origin(numbers, AffineFunction.identity(shape), np.full(shape, np.nan))}
    for op in function.body.block.ops:
        known = [found[value] for value in op.operands if value in found]
        if known and (origin := _followed(op, found)) is not None:
            found[op.results[0]] = origin
    return found


def _followed(op: Operation, found: Mapping[SSAValue, Origin]) -> Origin | None:
    match op:
        case tdsl.ImputeOp():
            return found[op.input].imputed(op.fills)
        case tdsl.MovementOp() if op.filling is None and all(_is_moved(value, found) for value in op.operands):
            return _moved(op, found)
        case _:
            pass
    for value in op.operands:
        if value in found and (function := extended(op, value, AffineFunction.identity(tdsl.shape_of(value)))):
            origin = found[value]
            return Origin(
                origin.elements,
                origin.function.followed_by(function.factors, function.addends),
                origin.fills * function.factors + function.addends,
            )
    return None


def _is_moved(value: SSAValue, found: Mapping[SSAValue, Origin]) -> bool:
    return value in found or isinstance(value.owner, arith.ConstantOp)


def _moved(op: tdsl.MovementOp, found: Mapping[SSAValue, Origin]) -> Origin:
    def parts(part: Callable[[Origin], NDArray[Any]]) -> NDArray[Any]:
        given = [part(found[value])[None] if value in found else _index(value) for value in op.operands]
        return op.moved(given, 0)[0]

    return Origin(
        parts(lambda origin: origin.elements),
        AffineFunction(parts(lambda origin: origin.function.factors), parts(lambda origin: origin.function.addends)),
        parts(lambda origin: origin.fills),
    )


def _index(value: SSAValue) -> Any:
    assert isinstance(value.owner, arith.ConstantOp)
    number: Any = value.owner.value
    return number.value.data


def _compared(function: func.FuncOp) -> Iterator[tuple[tdsl.ForestOp, Origin]]:
    """Yield each forest whose input consists of moved, scaled or imputed elements of the argument, and their origin."""
    for value, origin in origins(function).items():
        for use in tuple(value.uses):
            if isinstance(forest := use.operation, tdsl.ForestOp) and use.index == 0:
                yield forest, origin


def forests_reached(function: func.FuncOp) -> set[tdsl.ForestOp]:
    """The forests that compare elements that may be missing."""
    return {
        forest
        for forest, origin in _compared(function)
        if (np.isnan(origin.fills) & (origin.elements >= 0)).ravel()[forest.trees.features].any()
    }


def compare_argument(program: ModuleOp, function: func.FuncOp, *, scaled: bool) -> bool:
    """Let each forest read the program's argument if the forest's input consists of moved or imputed elements of the
    argument. Return whether all ops that still read the argument are forests.

    The changed trees branch on a missing element as the original trees branch on the value that replaces it.

    scaled: whether to also replace the inputs that consist of scaled elements; the thresholds of such a forest
        are converted to the scale of the argument and rounded.
    """
    [argument] = function.body.block.args
    if tdsl.is_only_compared(argument):
        return True
    for forest, origin in _compared(function):
        if forest.input is not argument:
            _read_argument(forest, origin, argument, scaled)
    dce(program)
    return tdsl.is_only_compared(argument)


def _read_argument(forest: tdsl.ForestOp, origin: Origin, argument: SSAValue, scaled: bool) -> None:
    trees = forest.trees
    parts = origin.elements, origin.function.factors, origin.function.addends, origin.fills
    elements, factors, addends, fills = (part.ravel()[trees.features] for part in parts)
    moved = (factors == 1).all() and not addends.any()
    thresholds = origin.function.thresholds(trees.thresholds.astype(np.float64), np.asarray(trees.features, np.int64))
    if (elements < 0).any() or thresholds is None or not (moved or scaled):
        return
    missing = trees.missing
    if not np.isnan(fills).all():
        own = np.zeros(trees.inner, np.bool_) if missing is None else missing
        missing = np.where(np.isnan(fills), own, fills.astype(np.float32) <= trees.thresholds)
    shape = tdsl.shape_of(forest.input)
    flat = (*(1,) * (len(shape) - 1), int(np.prod(tdsl.shape_of(argument))))
    forest.operands[0] = in_shape(argument, flat, forest)
    forest.properties |= replace(trees, features=elements, thresholds=thresholds, missing=missing).attributes
