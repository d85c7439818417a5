"""The evaluator, which executes a program on tensors (L0 or L1) for a whole data set at once.

Every value is an array with a leading axis over the samples, of extent 1 if the value does not depend on the input. A
loop is executed once, for all samples together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ContainerType, ModuleOp, ShapedType, TensorType
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat, element_format, number_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.limits import step_limit
from tinyml.dialects.locations import error_at
from tinyml.dialects.tdsl.base import shaped
from tinyml.dialects.tdsl.values import Arithmetic
from tinyml.runtime.evaluator.arithmetics import Bits, Reals
from tinyml.runtime.evaluator.execution import Observer, Run
from tinyml.runtime.evaluator.parallel_loops import LoopRun, executed_steps

if TYPE_CHECKING:
    from numpy.typing import NDArray


Array: TypeAlias = "NDArray[Any]"

CHUNK = 512
"""The number of samples that are evaluated together: a program's arrays then fit in the processor's cache."""

LIVE_BYTES = 1 << 22
"""The bytes of values up to which more samples than `CHUNK` are evaluated together, to amortise the calls of numpy."""

TENSOR_ELEMENTS = 1 << 22
"""The maximum number of elements of a tensor over all samples evaluated together, unless a single sample has more."""


@dataclass(frozen=True)
class Outputs:
    """The results of a program.

    * labels: class indices of shape (samples,); None if the program has none.
    * scores: shape (samples, elements), raws of the result's format, or reals for `Reals`; None if the program has
      none.
    * more: the outputs after the scores.
    """

    labels: NDArray[np.int64] | None
    scores: Array | None
    more: tuple[Array, ...] = ()

    @staticmethod
    def of(returned: Sequence[SSAValue], results: Sequence[Any], samples: int) -> Outputs:
        """The outputs of a function, from the values that it returns.

        results: the array of each returned value, with a leading axis of extent `samples` or 1.
        """
        labels, tensors = None, list[Array]()
        for value, result in zip(returned, results, strict=True):
            if isinstance(value.type, TensorType):
                tensors.append(np.broadcast_to(result, (samples, *result.shape[1:])).reshape(samples, -1))
            else:
                labels = np.broadcast_to(np.asarray(result, np.int64), (samples,))
        return Outputs(labels, tensors[0] if tensors else None, tuple(tensors[1:]))

    def first(self, samples: int) -> Outputs:
        """The outputs for the first `samples` samples."""
        labels, scores = (None if array is None else array[:samples] for array in (self.labels, self.scores))
        return Outputs(labels, scores, tuple(array[:samples] for array in self.more))

    @property
    def tensors(self) -> tuple[Array, ...]:
        """The scores, if there are any, and `more`, each of shape (samples, elements)."""
        return self.more if self.scores is None else (self.scores, *self.more)

    @property
    def classes(self) -> NDArray[np.int64]:
        """The predicted class of each sample: `labels` or, if they are None, the index of the greatest score."""
        if self.labels is not None:
            return self.labels
        assert self.scores is not None
        return np.argmax(self.scores, axis=1)


def predict_function(module: ModuleOp) -> func.FuncOp:
    """The only function of a program that has a body.

    The function has one argument, a tensor or memref of numbers. It returns scores, a label or both, and optionally
    further tensors. Raises `InputError` for any other number or type of functions, and for inputs or outputs without
    elements.
    """
    functions = defined_functions(module)
    if len(functions) != 1 or len(functions[0].function_type.inputs) != 1:
        raise InputError("expected one function with one input in the module")
    [function] = functions
    [argument] = function.function_type.inputs
    results = function.function_type.outputs
    scores = [type for type in results if isinstance(type, ContainerType)]
    if not isinstance(argument, ContainerType) or number_format(argument.get_element_type()) is None:
        raise error_at(function, f"expected an input of numbers, '{function.sym_name.data}' expects {argument}")
    if len(function.body.blocks) != 1:
        raise error_at(function, f"expected a function of one block, '{function.sym_name.data}' has several")
    if len(results) - len(scores) > 1:
        returned = ", ".join(map(str, results))
        raise error_at(function, f"expected scores, a label or both, '{function.sym_name.data}' returns {returned}")
    for empty in (type for type in (argument, *scores) if isinstance(type, ShapedType) and 0 in type.get_shape()):
        raise error_at(function, f"expected inputs and outputs with elements, '{function.sym_name.data}' has {empty}")
    return function


def _tensors(function: func.FuncOp) -> list[SSAValue]:
    blocks = [block for op in function.walk() for region in op.regions for block in region.blocks]
    values = [
        *(argument for block in blocks for argument in block.args),
        *(result for op in function.walk() for result in op.results),
    ]
    return [value for value in values if isinstance(value.type, TensorType)]


def _steps_of_loops(function: func.FuncOp, parallel: bool) -> list[tuple[scf.ForOp, int]]:
    loops = [op for op in function.body.block.ops if isinstance(op, scf.ForOp)]
    if not loops:
        return []
    return [(op, executed_steps(op, parallel)) for op in loops]


def loop_steps(function: func.FuncOp, parallel: bool) -> int:
    """The number of operations that the loops of a function execute; `parallel` is as in `long_loop`."""
    return sum(steps for _, steps in _steps_of_loops(function, parallel))


def long_loop(function: func.FuncOp, parallel: bool) -> tuple[scf.ForOp, int] | None:
    """The first loop that exceeds the limit on operations per inference, with the number of operations that it
    executes; None if no loop exceeds it.

    parallel: true to count the iterations of a parallel loop that are evaluated together as one iteration.
    """
    return next((loop for loop in _steps_of_loops(function, parallel) if loop[1] > step_limit()), None)


def _check_steps(function: func.FuncOp, samples: int) -> None:
    if (exceeding := long_loop(function, samples == 1)) is not None:
        (op, steps), limit = exceeding, step_limit()
        raise error_at(
            op, f"the loop runs {steps:,} operations in an inference, {limit:,} at most; --max-elements raises this"
        )


def samples_together(function: func.FuncOp) -> int:
    """The number of samples to evaluate together, a power of two. It is smaller for programs with larger tensors. It is
    1 for programs with parallel loops for which this is faster, because iterations of such a loop are evaluated
    together only for a single sample.
    """
    sizes = [prod(tdsl.shape_of(value)) for value in _tensors(function)]
    most = TENSOR_ELEMENTS // max([*sizes, 1])
    samples = min(CHUNK, 1 << max(most.bit_length() - 1, 0))
    # Iterations of a parallel loop are evaluated together only for a single sample.
    return 1 if samples * loop_steps(function, parallel=True) < loop_steps(function, parallel=False) else samples


def _raws_together(function: func.FuncOp) -> int:
    """The number of samples to evaluate together if results are raws. It is greater than `samples_together` for small
    samples.

    Raws do not depend on this number, whereas the last bits of sums of reals do. Observers and searches receive samples
    in chunks of `samples_together`.
    """
    together, numbers = (
        samples_together(function),
        [number_format(shaped(value).get_element_type()) for value in _tensors(function)],
    )
    if together < CHUNK or any(format is not None and format.AS_PUBLISHED for format in numbers):
        # Published arithmetic adds the products of a sum as a tree, which stores all of them at once.
        return together
    forests = [op for op in function.walk() if isinstance(op, tdsl.ForestOp)]
    moving = [value for value in _tensors(function) if not isinstance(value.owner, tdsl.ConstOp)]
    elements = sum(prod(tdsl.shape_of(value)) for value in moving)
    # A tree walk stores the node and the votes of every tree.
    elements += sum(len(op.trees.roots) * (4 + tdsl.shape_of(op.votes)[1]) for op in forests)
    return max(together, LIVE_BYTES // (8 * max(elements, 1)))


def evaluate(
    module: ModuleOp, inputs: Array, arithmetic: Arithmetic | None = None, observe: Observer | None = None
) -> Outputs:
    """Run a program on raws of the input's format, or on reals with `Reals`, and return its outputs.

    module: the program.
    inputs: the raws or reals of each sample, of shape (samples, elements of the input).
    arithmetic: `Bits` for raws (the default), or `Reals`.
    observe: a function that is called with every tensor value and its array, once per chunk of samples and loop
        iteration.

    Raises `InputError` for inputs of the wrong shape, and for loops that exceed the limit on operations.
    """
    function = predict_function(module)
    _check_steps(function, samples_together(function))
    shape = tdsl.shape_of(function.body.block.args[0])
    if inputs.ndim != 2 or inputs.shape[1] != int(np.prod(shape)):
        raise InputError(f"data have shape {inputs.shape}, the program expects {int(np.prod(shape))} values per sample")
    arithmetic = arithmetic or Bits()
    unseen = observe is None and isinstance(arithmetic, Bits)
    chunk = _raws_together(function) if unseen else samples_together(function)
    # Converted per chunk: a whole data set in doubles takes twice the memory.
    dtype = np.float64 if isinstance(arithmetic, Reals) else inputs.dtype
    last, run = cast(func.ReturnOp, function.body.block.last_op), _class_of_run(function)
    results: list[Outputs] = []
    for start in range(0, len(inputs), chunk):
        batch = inputs[start : start + chunk].reshape(-1, *shape).astype(dtype)
        results.append(Outputs.of(last.arguments, run(arithmetic, observe).function(function, [batch]), len(batch)))
    labels = [result.labels for result in results if result.labels is not None]
    scores = [result.scores for result in results if result.scores is not None]
    return Outputs(
        np.concatenate(labels) if labels else None,
        np.concatenate(scores) if scores else None,
        tuple(np.concatenate(chunks) for chunks in zip(*(result.more for result in results), strict=True)),
    )


def evaluate_reals(module: ModuleOp, inputs: Array, observe: Observer | None = None) -> Outputs:
    """Run a program in double precision on real inputs and return its outputs. `observe` is as in `evaluate`."""
    return evaluate(module, argument_reals(module, inputs), Reals(), observe)


def evaluate_model(module: ModuleOp, inputs: Array) -> Outputs:
    """Run a model on real inputs and return its outputs as reals. The outputs of a compiled program are compared with
    them.

    A model that was trained for its number formats is computed in them, and any other model in double precision.
    """
    if not (tdsl.read_interface(module).quantised and tdsl.has_formats(module)):
        return evaluate_reals(module, inputs)
    return in_reals(module, evaluate(module, encode_inputs(module, inputs)))


def evaluate_as_it_is(module: ModuleOp, inputs: Array, observe: Observer) -> Outputs:
    """Run a program on real inputs and return its outputs as reals.

    A program with one part in number formats and another part on reals is computed on raws; its reals are then numbers
    of the format f32. Any other program is computed in double precision.

    observe: a function that is called with every tensor value and its array of reals.
    """
    if not tdsl.is_mixed(module):
        return evaluate_reals(module, inputs, observe)

    def decoded(value: SSAValue, raws: Array) -> None:
        if number_format(shaped(value).get_element_type()) is not None:
            observe(value, tdsl.format_of(value).decode(raws))

    return in_reals(module, evaluate(module, encode_inputs(module, inputs), observe=decoded))


def in_reals(module: ModuleOp, outputs: Outputs) -> Outputs:
    """The outputs of a program at level L1, with raws decoded to reals."""
    returned = cast(func.ReturnOp, predict_function(module).body.block.last_op).arguments
    formats = [tdsl.format_of(value) for value in returned if isinstance(value.type, TensorType)]
    reals = [format.decode(raws) for format, raws in zip(formats, outputs.tensors, strict=True)]
    return Outputs(outputs.labels, reals[0] if reals else None, tuple(reals[1:]))


def feature_map(module: ModuleOp) -> tdsl.FeatureMap | None:
    """The affine map between the features of a program and its argument; None if its interface specifies no feature
    scales.
    """
    function = predict_function(module)
    return tdsl.read_input(function).features(int(np.prod(tdsl.shape_of(function.body.block.args[0]))))


def feature_encoding(module: ModuleOp) -> tdsl.FeatureEncoding | None:
    """The integers by which features of a program at level L1 are converted to raws.

    Returns None if floats convert the features, and for a program without feature scales.
    """
    features = feature_map(module)
    format = element_format(predict_function(module).body.block.args[0].type)
    return None if features is None else tdsl.feature_encoding(features, format)


def argument_reals(module: ModuleOp, inputs: Array) -> Array:
    """The reals of a program's argument, of shape (samples, elements), for real inputs of the same shape.

    If the program has feature scales, the inputs are features, which are converted to elements of the argument.
    """
    features, inputs = feature_map(module), filled(module, inputs)
    return inputs if features is None else features.of_features(inputs)


def filled(module: ModuleOp, inputs: Array) -> Array:
    """The inputs, in which missing values (NaN) are replaced by the numbers that the program's interface defines.

    inputs: shape (samples, elements).

    Raises `InputError` for a missing value without a replacement.
    """
    interface = tdsl.read_input(predict_function(module))
    if interface.fills is None:
        return inputs
    missing = np.isnan(inputs)
    if interface.imputed is not None:
        others = sorted({*range(inputs.shape[-1])} - {*interface.imputed})
        wrong = next((column for column in others if missing[..., column].any()), None)
        if wrong is not None:
            raise InputError(f"x: NaN in column {wrong}, whose missing values no imputer replaces")
    return np.where(missing, np.array(interface.fills, np.float32), inputs)


def input_formats(module: ModuleOp) -> Sequence[tuple[slice, NumberFormat]]:
    """Pairs (range of elements, number format) that cover all elements of a program's argument.

    There is one pair per input of the model, or a single pair if all inputs have one format.
    """
    function = predict_function(module)
    whole = element_format(function.body.block.args[0].type)
    own = tdsl.read_input(function).own_formats(whole)
    return [(part.elements, format) for part, format in own] or [(slice(None), whole)]


def by_input(module: ModuleOp, inputs: Array, convert: Callable[[NumberFormat, Array], Array]) -> Array:
    """The elements of a program's argument, after `convert` is applied to the elements of each input of the model.

    inputs: the elements of the argument, of shape (samples, elements).
    convert: a function of the number format and the elements of an input.
    """
    parts = [convert(format, inputs[:, elements]) for elements, format in input_formats(module)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def encode_inputs(module: ModuleOp, inputs: Array) -> Array:
    """The raws of real inputs in the program's input formats. Inputs outside the range of a format saturate, as in the
    C function `NAME_set`.
    """
    features, encoding = feature_map(module), feature_encoding(module)

    def encoded(inputs: Array) -> Array:
        if encoding is not None:
            return encoding.raws(inputs).astype(element_format(predict_function(module).body.block.args[0].type).dtype)
        reals = inputs if features is None else features.of_features(inputs)
        return by_input(module, reals.astype(np.float64), lambda format, part: format.encode_clipped(part))

    inputs = filled(module, inputs)
    chunk = max(CHUNK, LIVE_BYTES // (8 * max(inputs[:1].size, 1)))
    parts = [encoded(inputs[i : i + chunk]) for i in range(0, len(inputs), chunk)]
    return np.concatenate(parts) if parts else encoded(inputs)


def run_step(function: func.FuncOp, arguments: Sequence[Any]) -> Sequence[Any]:
    return _class_of_run(function)(Bits(), None).function(function, arguments)


def _class_of_run(function: func.FuncOp) -> type[Run]:
    if not any(isinstance(op, scf.ForOp) for op in function.walk()):
        return Run
    return LoopRun
