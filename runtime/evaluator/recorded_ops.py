"""Ops as steps of a machine. The steps are recorded once and replayed for other samples, iterations and candidates of a
search.

A format implements an operation as a sequence of calls of a machine's methods. The sequence does not depend on the
data. The calls on arrays are recorded when an op is first executed. Later they are replayed, without the interval
analysis of the format.

The steps of a loop's body form one list (`LoopSteps`). Steps that depend only on the iteration are executed once, for
all iterations together. The results of such steps are stored for other programs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.machine.machine import Machine
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.tdsl.values import Arithmetic, ranked
from tinyml.runtime.evaluator.evaluator import compute
from tinyml.runtime.evaluator.shared_values import Numbering, ResultCache, TabulatedBits

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"
_Call: TypeAlias = "tuple[Callable[..., Any], Callable[[list[Any]], Sequence[Any]], int]"
"""A function, a function that selects its arguments from a list of values, and the index of its result."""

CONSTANTS = ("int_constant", "float_constant", "constant")
"""Methods of `Machine` that have no operands."""

STEPS = (*sorted(Machine.__abstractmethods__ - {*CONSTANTS, "width_of"}), "clip", "matmul", "of_raw", "perform")
"""Methods of `Machine` that compute on arrays."""

ELEMENTWISE = {*STEPS} - {"call_on_table", "lookup", "matmul", "of_raw"}
"""Methods of `Machine` whose arguments are arrays of elements, which are broadcast."""

TABLES = {"lookup": 1, "call_on_table": 2, "of_raw": 0}
"""For each method of `Machine` with a table, which is a constant, the position of the table among the arguments."""


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic)


class Tapes(dict[object, "_OpTape | None"]):
    """The recorded ops of all programs. A key identifies the steps of an op. The value is None for an op that cannot be
    replayed.
    """

    @staticmethod
    def key(op: tdsl.TensorOp, arguments: Sequence[Any], numbers: dict[SSAValue, int]) -> object:
        """The key of an op without regions. It consists of all properties that determine the op's steps.

        The properties are types, attributes, the constants from which sums are bounded, the identity of equal operands,
        and shapes. The number of samples is part of the key only if it is one.
        """
        operands = list(op.operands)
        roots = [tdsl.constant_root(value) for value in operands]
        return (
            op.name,
            *(value.type for value in (*op.results, *operands)),
            *sorted(op.properties.items()),
            *(None if root is None else numbers[root.result] for root in roots),
            *map(operands.index, operands),
            *((x.shape[0] == 1, x.shape[1:]) if np.ndim(x) else None for x in arguments),
        )


class Recorded:
    """The recorded ops of one program. Their results are equal to those of `compute` in every bit.

    * kept: a cache of function tables and of program results.
    * tapes: the recordings of this program and of other programs.
    * numbers: for each value of the program, its value number. Values with equal numbers have equal bits.
    """

    def __init__(self, kept: ResultCache, tapes: Tapes, numbers: dict[SSAValue, int]) -> None:
        self.kept = kept
        self.arithmetic = TabulatedBits(kept)
        self.numbers = numbers
        self.tapes = tapes
        self._of_ops: dict[Operation, _OpTape | None] = {}

    def compute(self, op: Operation, arguments: Sequence[Any]) -> Any:
        if not isinstance(op, tdsl.TensorOp):
            return compute(self.arithmetic, op, arguments)
        if isinstance(op, tdsl.ElementwiseOp):
            rank = 1 + len(tdsl.shape_of(op.out))
            arguments = [ranked(x, rank) for x in arguments]
        if op not in self._of_ops:
            # Steps of a region are recorded once for each program.
            key = None if op.regions else self.tapes.key(op, arguments, self.numbers)
            if key is None or key not in self.tapes:
                result, self._of_ops[op] = self._record(op, arguments)
                if key is not None:
                    self.tapes[key] = self._of_ops[op]
                return result
            self._of_ops[op] = self.tapes[key]
        tape = self._of_ops[op]
        return compute(self.arithmetic, op, arguments) if tape is None else tape.play(arguments)

    def tape(self, op: Operation) -> _OpTape | None:
        """The recorded steps of an op that has been executed; None if the steps cannot be repeated on other operands,
        or if the op has not been executed.
        """
        return self._of_ops.get(op)

    def _record(self, op: Operation, arguments: Sequence[Any]) -> tuple[Any, _OpTape | None]:
        """The result of an op, and the recording of its steps; None instead of the recording if the op cannot be
        replayed.
        """
        # Views give operands that happen to share one array distinct identities.
        arguments = [x.view() if isinstance(x, np.ndarray) else x for x in arguments]
        recorder = _Recorder()
        result = compute(TabulatedBits(self.arithmetic.tables, recorder), op, arguments)
        try:
            return result, _OpTape(arguments, recorder, result)
        except KeyError:
            return result, None


class _Recorder(NumpyMachine):
    """A numpy machine that computes results and records each call as (method, arguments, result)."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, tuple[Any, ...], Any]] = []

    if not TYPE_CHECKING:

        def __getattribute__(self, name: str) -> Any:
            attribute = super().__getattribute__(name)
            if name not in STEPS and name not in CONSTANTS:
                return attribute

            def recorded(*arguments: Any) -> Any:
                result = attribute(*arguments)
                self.steps.append((name, arguments, result))
                return result

            return recorded


@dataclass(frozen=True)
class _Step:
    """A recorded call of a function.

    name: a key that is equal for functions with equal results.
    function: the function.
    sources, target: the indices of the argument values and of the result.
    """

    name: object
    function: Callable[..., Any]
    sources: Sequence[int]
    target: int


class _OpTape:
    """The recorded steps of one op.

    Arguments and results are indices of `values`. The first values are the operands. Raises `KeyError` if a value was
    not computed by the machine and therefore cannot be replayed.
    """

    def __init__(self, operands: Sequence[Any], recorder: _Recorder, result: Any):
        self.operands = len(operands)
        self.values: list[Any] = [None] * self.operands
        self.steps: list[_Step] = []
        indices = {id(operand): index for index, operand in enumerate(operands)}
        machine = NumpyMachine()

        def new(value: Any) -> int:
            self.values.append(value)
            return len(self.values) - 1

        for name, arguments, made in recorder.steps:
            if name in CONSTANTS:
                indices[id(made)] = new(made)
                continue
            table = TABLES.get(name)
            sources = [indices[id(x)] if _is_array(x) and i != table else new(x) for i, x in enumerate(arguments)]
            indices[id(made)] = new(None)
            self.steps.append(_Step(name, getattr(machine, name), sources, indices[id(made)]))
        self.result = indices[id(result)]

    def play(self, operands: Sequence[Any]) -> Any:
        values = self.values.copy()
        values[: self.operands] = operands
        for step in self.steps:
            values[step.target] = step.function(*[values[index] for index in step.sources])
        return values[self.result]


class LoopSteps:
    """The steps of those ops in a loop's body that depend on carried values, as one list for all iterations.

    Steps that do not read carried values are *early*: they are executed once for all iterations, with the samples of
    all iterations concatenated. If other steps read the result of an early step, the result is cached for all programs.
    The cache key is the number of the computation.

    * recorded, numbering: the recorded ops of the program, and the value numbers of all programs.
    * loop: the loop.
    * ops: ops without nested loops, all of which are recorded.
    * entering: values that depend only on the iteration.
    * most: early steps are executed only for tensors of at most this number of elements per sample.
    """

    def __init__(
        self,
        recorded: Recorded,
        numbering: Numbering,
        loop: scf.ForOp,
        ops: Sequence[Operation],
        entering: Collection[SSAValue],
        most: int,
    ):
        self.recorded, self.numbering, self.entering = recorded, numbering, entering
        self.values: list[Any] = []
        self.places: dict[SSAValue, int] = {}
        self.outside: list[SSAValue] = []
        # The numbers of constants, of values defined outside of the steps, and of the results of early steps.
        self.numbers: dict[int, int] = {}
        self.constants: set[int] = set()
        self.varying: set[int] = set()
        self.early: dict[int, _Step] = {}
        steps: list[_Step] = []
        body = loop.body.block
        self.counter, *self.carried = [self._place(value) for value in body.args]
        for op in ops:
            fits = isinstance(op, tdsl.TensorOp) and prod(tdsl.shape_of(op.out)) <= most
            for step in self._steps(op):
                if fits and step.name is not None and all(source in self.numbers for source in step.sources):
                    self._run_early(step)
                else:
                    steps.append(step)
        assert body.last_op is not None
        self.yielded = [self._of(value) for value in body.last_op.operands]
        read = {*self.yielded, *(source for step in steps for source in step.sources)}
        self.given = [value for value in entering if self.places.get(value) in read]
        self.kept = sorted(self.early.keys() & read)
        # Vectors shared by all samples are copied for each sample: numpy adds and multiplies contiguous operands
        # faster.
        others = {source for step in steps if step.name not in ELEMENTWISE for source in step.sources}
        same = {*self.kept, *(self.places[value] for value in self.outside)}
        self.spread = sorted((same & read) - others)
        self.calls = _calls(steps, self.yielded)

    def _index(self, value: Any = None) -> int:
        self.values.append(value)
        return len(self.values) - 1

    def _place(self, value: SSAValue) -> int:
        self.places[value] = self._index()
        return self.places[value]

    def _of(self, operand: SSAValue) -> int:
        if operand not in self.places:
            place = self._place(operand)
            self.numbers[place] = self.recorded.numbers[operand]
            if operand in self.entering:
                self.varying.add(place)
            else:
                self.outside.append(operand)
        return self.places[operand]

    def _steps(self, op: Operation) -> Iterator[_Step]:
        """Yield the steps of an op, and assign an index to the result of the op."""
        tape, sources = self.recorded.tape(op), [self._of(operand) for operand in op.operands]
        if isinstance(op, tdsl.ReshapeOp):
            shape = tdsl.shape_of(op.out)
            yield _Step(f"shape {shape}", partial(_reshaped, shape), sources, self._place(op.out))
            return
        if tape is None:
            yield _Step(None, partial(_computed, self.recorded.arithmetic, op), sources, self._place(op.results[0]))
            return
        if isinstance(op, tdsl.ElementwiseOp):
            rank = 1 + len(tdsl.shape_of(op.out))
            for position, operand in enumerate(op.operands):
                if 1 + len(tdsl.shape_of(operand)) != rank:
                    raised = _Step(f"rank {rank}", partial(ranked, rank=rank), [sources[position]], self._index())
                    sources[position] = raised.target
                    yield raised
        made = {step.target for step in tape.steps}
        for index, value in enumerate(tape.values[tape.operands :], tape.operands):
            sources.append(self._index(value))
            if index not in made:
                self.constants.add(sources[index])
                self.numbers[sources[index]] = self.numbering.number("constant", _content(value))
        for step in tape.steps:
            yield replace(step, sources=[sources[i] for i in step.sources], target=sources[step.target])
        self.places[op.results[0]] = sources[tape.result]

    def _run_early(self, step: _Step) -> None:
        self.early[step.target] = step
        self.numbers[step.target] = self.numbering.number(step.name, *(self.numbers[i] for i in step.sources))
        if not self.varying.isdisjoint(step.sources):
            self.varying.add(step.target)

    def run(
        self,
        taken: range,
        begun: int,
        carried: Sequence[Any],
        outside: Mapping[SSAValue, Any],
        entering: Mapping[SSAValue, Any],
        chunk: int,
        samples: int,
    ) -> Sequence[Any]:
        """The carried values after all iterations.

        taken: the range of all iterations.
        begun: the number of iterations that have already been executed.
        carried: the carried values after these iterations.
        outside: the values that the body captures.
        entering: the arrays of values that depend only on the iteration, with axes over samples and iterations.
        chunk, samples: the index of the chunk, and the number of its samples.
        """
        values = self.values.copy()
        for value in self.outside:
            values[self.places[value]] = outside[value]
        early = _Early(self, values, entering, samples, len(taken))
        parts = {place: early.parts(place, (chunk, taken)) for place in self.kept}
        for place in [place for place, part in parts.items() if len(part) == 1]:
            values[place] = parts.pop(place)[0]
        for place, x in ((place, values[place]) for place in self.spread):
            if np.ndim(x) > 1 and len(x) == 1 < x.size:
                values[place] = np.repeat(x, samples, 0)
        given = [(self.places[value], value, entering[value]) for value in self.given]
        for index in range(begun, len(taken)):
            values[self.counter] = taken[index]
            for place, value, result in given:
                values[place] = iteration(value, result, index)
            for place, part in parts.items():
                values[place] = part[index]
            for place, value in zip(self.carried, carried, strict=True):
                values[place] = value
            for function, arguments, target in self.calls:
                values[target] = function(*arguments(values))
            carried = [values[place] for place in self.yielded]
        return carried


class _Early:
    """The results of early steps for one chunk of samples.

    entering: arrays with axes over samples and iterations.
    """

    def __init__(
        self, steps: LoopSteps, values: Sequence[Any], entering: Mapping[SSAValue, Any], samples: int, iterations: int
    ):
        self.steps, self.values, self.samples, self.iterations = steps, values, samples, iterations
        self.entering = {steps.places[value]: x for value, x in entering.items() if value in steps.places}
        self.known: dict[int, Any] = {}

    def parts(self, place: int, chunk: object) -> Sequence[Any]:
        """The value with index `place` for each iteration; a single value if it is the same for all iterations."""
        kept, key = self.steps.recorded.kept, ("early", chunk, self.steps.numbers[place])
        if key in kept:
            return kept[key]
        whole = self._of(place)
        varies = place in self.steps.varying and np.ndim(whole) and len(whole) > 1
        kept[key] = parts = whole.reshape(self.iterations, -1, *whole.shape[1:]) if varies else whole[None]
        return parts

    def _of(self, place: int) -> Any:
        """The value with index `place`. If it varies between iterations, the samples of all iterations are
        concatenated.
        """
        if place not in self.known:
            if place in self.entering:
                self.known[place] = self._side_by_side(self.entering[place])
            elif (step := self.steps.early.get(place)) is None:
                return self.values[place]
            else:
                read = self._of if place not in self.steps.varying else self._in_all_iterations
                self.known[place] = step.function(*map(read, step.sources))
        return self.known[place]

    def _in_all_iterations(self, place: int) -> Any:
        x = self._of(place)
        if place in self.steps.varying or place in self.steps.constants or not np.ndim(x) or len(x) == 1:
            return x
        return np.tile(x, (self.iterations, *(1,) * (x.ndim - 1)))

    def _side_by_side(self, x: Any) -> Any:
        if not np.ndim(x) or x.shape[:2] == (1, 1):
            return x[0] if np.ndim(x) else x
        whole = np.broadcast_to(x, (self.samples, self.iterations, *x.shape[2:])).swapaxes(0, 1)
        return whole.reshape(-1, *x.shape[2:])


def _computed(arithmetic: Arithmetic, op: Operation, *arguments: Any) -> Any:
    return compute(arithmetic, op, arguments)


def _reshaped(shape: tuple[int, ...], x: Array) -> Array:
    return x.reshape(len(x), *shape)


def _content(constant: Any) -> object:
    """A key for the content of a step's constant. A large array is identified by its `id`, so the caller must keep the
    array alive.
    """
    if not _is_array(constant):
        return constant
    return (
        constant.dtype.str,
        constant.shape,
        constant.tobytes() if constant.size <= IDENTITY_ELEMENTS else id(constant),
    )


IDENTITY_ELEMENTS = 64
"""The maximum number of elements of constants that are compared by content; others are compared by identity."""


def _calls(steps: Sequence[_Step], yielded: Sequence[int]) -> list[_Call]:
    """The calls that execute the steps.

    A result is assigned the index of a value that no later step reads, so that this value is freed.
    """
    made = {step.target for step in steps}
    last = {source: number for number, step in enumerate(steps) for source in step.sources}
    calls, places, free = list[_Call](), dict[int, int](), list[int]()
    for number, step in enumerate(steps):
        sources = [places.get(source, source) for source in step.sources]
        free += [places[x] for x in {*step.sources} if x in made and last[x] == number and x not in yielded]
        places[step.target] = free.pop() if free and step.target not in yielded else step.target
        take = itemgetter(*sources) if sources[1:] else itemgetter(slice(sources[0], sources[0] + 1))
        calls.append((step.function, take, places[step.target]))
    return calls


def iteration(value: SSAValue, result: Any, index: int) -> Any:
    """The result of one iteration, extracted from the results of all iterations."""
    if not np.ndim(result):
        return result
    value_then = result[:, index if result.shape[1] > 1 else 0]
    # An index that is the same for all samples becomes a plain integer again.
    return value_then if isinstance(value.type, TensorType) or len(value_then) > 1 else int(value_then[0])
