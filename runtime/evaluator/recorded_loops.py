"""The recorded steps of a loop's body, as one list that is replayed in each iteration.

Steps that depend only on the iteration are executed once, for all iterations together. The results of such steps are
stored for other programs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl.values import Arithmetic, ranked
from tinyml.runtime.evaluator.execution import compute
from tinyml.runtime.evaluator.recorded_ops import ELEMENTWISE, Recorded, Step, is_array
from tinyml.runtime.evaluator.shared_values import Numbering

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"
_Call: TypeAlias = "tuple[Callable[..., Any], Callable[[list[Any]], Sequence[Any]], int]"
"""A function, a function that selects its arguments from a list of values, and the index of its result."""


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
        self.early: dict[int, Step] = {}
        steps: list[Step] = []
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

    def _steps(self, op: Operation) -> Iterator[Step]:
        tape, sources = self.recorded.tape(op), [self._of(operand) for operand in op.operands]
        if isinstance(op, tdsl.ReshapeOp):
            shape = tdsl.shape_of(op.out)
            yield Step(f"shape {shape}", partial(_reshaped, shape), sources, self._place(op.out))
            return
        if tape is None:
            yield Step(None, partial(_computed, self.recorded.arithmetic, op), sources, self._place(op.results[0]))
            return
        if isinstance(op, tdsl.ElementwiseOp):
            rank = 1 + len(tdsl.shape_of(op.out))
            for position, operand in enumerate(op.operands):
                if 1 + len(tdsl.shape_of(operand)) != rank:
                    raised = Step(f"rank {rank}", partial(ranked, rank=rank), [sources[position]], self._index())
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

    def _run_early(self, step: Step) -> None:
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
    if not is_array(constant):
        return constant
    return (
        constant.dtype.str,
        constant.shape,
        constant.tobytes() if constant.size <= IDENTITY_ELEMENTS else id(constant),
    )


IDENTITY_ELEMENTS = 64
"""The maximum number of elements of constants that are compared by content; others are compared by identity."""


def _calls(steps: Sequence[Step], yielded: Sequence[int]) -> list[_Call]:
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
