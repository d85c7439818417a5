"""Random programs of the tensor DSL on reals (L0), with loops, loop-carried tensors, views and partial updates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import TypeVar

import numpy as np
from hypothesis import strategies as st
from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, TensorType, f32
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint

from programs.network_writer import NetworkWriter
from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT

Shape = tuple[int, ...]
T = TypeVar("T")

SHAPES: list[Shape] = [(), (3,), (3, 1), (1, 3), (3, 3), (3, 2), (2, 3, 2)]
DEPTH = 2


@dataclass
class Scope:
    """The values that a statement can use: tensors, and indices with their exclusive upper bounds."""

    builder: Builder
    tensors: list[SSAValue]
    indices: list[tuple[SSAValue, int]] = field(default_factory=list[tuple[SSAValue, int]])


class Writer:
    """A generator of a random program, statement by statement."""

    def __init__(self, draw: st.DrawFn):
        self.draw = draw
        self.random = np.random.default_rng(draw(st.integers(0, 2**32)))

    def module(self) -> ModuleOp:
        net = NetworkWriter(self.one_of(SHAPES), format=F32_FORMAT, name="model")
        scope = Scope(net.builder, [net.input])
        self.statements(scope, 0)
        self.loop(scope, 0)
        label = scope.builder.insert(tdsl.ArgmaxOp(self.tensor(scope))).result
        scores = self.tensor(scope) if self.draw(st.booleans()) else self.gather(scope)
        return net.module(label, scores)

    def one_of(self, values: list[T]) -> T:
        return self.draw(st.sampled_from(values))

    def tensor(self, scope: Scope, fits: Callable[[Shape], bool] = lambda _: True) -> SSAValue:
        """A tensor in scope for which `fits` is true. Recent tensors are preferred; if there is none, a new constant is
        written.
        """
        found = [value for value in scope.tensors if fits(tdsl.shape_of(value))]
        if found:
            return found[-1 - min(self.draw(st.integers(0, 5)), len(found) - 1)]
        return self.constant(scope, self.one_of([shape for shape in SHAPES if fits(shape)]))

    def add(self, scope: Scope, value: SSAValue) -> None:
        scope.tensors.append(value)

    def constant(self, scope: Scope, shape: Shape, encoding: tdsl.Csr | None = None) -> SSAValue:
        values = self.random.normal(size=shape).astype(np.float32)
        if encoding is not None:
            values *= np.arange(values.size).reshape(shape) % self.random.integers(1, 4) == 0
        return scope.builder.insert(tdsl.ConstOp(values, F32_FORMAT, encoding)).result

    def index(self, scope: Scope, extent: int) -> SSAValue:
        """An index in [0, extent); a computed index if a suitable one is in scope."""
        found = [value for value, bound in scope.indices if bound <= extent]
        if found and self.draw(st.booleans()):
            return self.one_of(found)
        return self.literal(scope, self.draw(st.integers(0, extent - 1)))

    def literal(self, scope: Scope, value: int) -> SSAValue:
        return scope.builder.insert(arith.ConstantOp(IntegerAttr(value, IndexType()))).result

    def statements(self, scope: Scope, depth: int) -> None:
        kinds: list[Callable[[Scope, int], None]] = [self.fresh, self.matmul, self.move, self.part, self.select]
        kinds += [self.unary, self.unary, self.binary, self.binary, self.insert, self.insert, self.argmax]
        kinds += [self.loop, self.loop] if depth < DEPTH else []
        for _ in range(self.draw(st.integers(1, 6 - depth))):
            kind = self.one_of(kinds)
            kind(scope, depth)

    def fresh(self, scope: Scope, depth: int) -> None:
        shape = self.one_of(SHAPES)
        if self.draw(st.booleans()):
            self.add(scope, self.constant(scope, shape))
        else:
            self.add(scope, scope.builder.insert(tdsl.FillOp(0.5, TensorType(f32, shape))).out)

    def unary(self, scope: Scope, depth: int) -> None:
        kind = self.one_of([tdsl.NegOp, tdsl.NegOp, tdsl.ReluOp, tdsl.Relu6Op, tdsl.ExpOp, tdsl.TanhOp, tdsl.SigmoidOp])
        self.add(scope, scope.builder.insert(kind(self.tensor(scope))).out)

    def binary(self, scope: Scope, depth: int) -> None:
        kind = self.one_of([tdsl.AddOp, tdsl.SubOp, tdsl.MulOp, tdsl.MaximumOp, tdsl.MinimumOp])
        lhs = self.tensor(scope)
        shape = tdsl.shape_of(lhs)

        def broadcasts(other: Shape) -> bool:
            pairs = zip(reversed(shape), reversed(other), strict=False)
            return len(other) <= len(shape) and all(b in (1, a) for a, b in pairs)

        rhs = self.tensor(scope, broadcasts)
        self.add(scope, scope.builder.insert(kind(*self.one_of([(lhs, rhs), (rhs, lhs)]))).out)

    def matmul(self, scope: Scope, depth: int) -> None:
        rhs = self.tensor(scope, lambda shape: len(shape) == 2)
        length, columns = tdsl.shape_of(rhs)
        if columns == 1 and self.draw(st.booleans()):
            matrix = self.constant(scope, (self.one_of([2, 3]), length), tdsl.Csr())
            self.add(scope, scope.builder.insert(tdsl.SpmvOp(matrix, rhs)).out)
            return
        if self.draw(st.booleans()):
            lhs = self.tensor(scope, lambda shape: len(shape) == 2 and shape[1] == length)
        else:
            lhs, rhs = rhs, self.constant(scope, (columns, 3))
        self.add(scope, scope.builder.insert(tdsl.MatmulOp(lhs, rhs)).out)

    def move(self, scope: Scope, depth: int) -> None:
        value = self.tensor(scope, lambda shape: len(shape) > 0)
        shape = tdsl.shape_of(value)
        match self.draw(st.integers(0, 3)):
            case 0:
                same = [other for other in SHAPES if prod(other) == prod(shape)]
                op = tdsl.ReshapeOp(value, self.one_of(same or [shape]))
            case 1:
                op = tdsl.TransposeOp(value, self.draw(st.permutations(range(len(shape)))))
            case 2 if max(shape) > 1:
                axis = self.one_of([axis for axis, extent in enumerate(shape) if extent > 1])
                op = tdsl.MoveUpOp(value, axis, self.draw(st.integers(1, shape[axis] - 1)))
            case _:
                op = tdsl.ReverseOp(value, self.draw(st.integers(0, len(shape) - 1)))
        self.add(scope, scope.builder.insert(op).out)

    def part(self, scope: Scope, depth: int) -> None:
        value = self.tensor(scope, lambda shape: len(shape) > 0)
        shape = tdsl.shape_of(value)
        if self.draw(st.booleans()):
            op = tdsl.IndexOp(value, self.index(scope, shape[0]))
        else:
            sizes = [self.draw(st.integers(1, extent)) for extent in shape]
            most = [(extent - 1) // (size - 1) if size > 1 else 1 for extent, size in zip(shape, sizes, strict=True)]
            steps = [self.draw(st.integers(1, step)) for step in most]
            spans = tuple((size - 1) * step + 1 for size, step in zip(sizes, steps, strict=True))
            offsets = self.offsets(scope, shape, spans)
            for axis, span in enumerate(spans):
                if self.draw(st.booleans()):
                    # Backwards, from the last element.
                    last = scope.builder.insert(arith.AddiOp(offsets[axis], self.literal(scope, span - 1)))
                    offsets[axis], steps[axis] = last.result, -steps[axis]
            op = tdsl.SliceOp(value, offsets, sizes, steps)
        self.add(scope, scope.builder.insert(op).out)

    def offsets(self, scope: Scope, shape: Shape, sizes: Shape) -> list[SSAValue]:
        return [self.index(scope, extent - size + 1) for extent, size in zip(shape, sizes, strict=True)]

    def insert(self, scope: Scope, depth: int) -> None:
        whole = self.tensor(scope, lambda shape: len(shape) > 0)
        shape = tdsl.shape_of(whole)

        def fits(other: Shape) -> bool:
            return len(other) == len(shape) and all(a <= b for a, b in zip(other, shape, strict=True))

        part = self.tensor(scope, fits)
        offsets = self.offsets(scope, shape, tdsl.shape_of(part))
        self.add(scope, scope.builder.insert(tdsl.InsertSliceOp(part, whole, offsets)).out)

    def select(self, scope: Scope, depth: int) -> None:
        value = self.tensor(scope, lambda shape: prod(shape) == 1)
        condition = scope.builder.insert(tdsl.AtLeastOp(value, 0.25)).result
        one = self.tensor(scope)
        other = self.tensor(scope, lambda shape: shape == tdsl.shape_of(one))
        self.add(scope, scope.builder.insert(tdsl.SelectOp(condition, one, other)).out)

    def argmax(self, scope: Scope, depth: int) -> None:
        value = self.tensor(scope)
        scope.indices.append((scope.builder.insert(tdsl.ArgmaxOp(value)).result, prod(tdsl.shape_of(value))))

    def loop(self, scope: Scope, depth: int) -> None:
        """Write a loop that carries one to three tensors and yields arbitrary tensors of their shapes."""
        count = self.draw(st.integers(1, 3))
        initial = [self.tensor(scope)]
        for _ in range(self.draw(st.integers(0, 2))):
            shape = tdsl.shape_of(initial[0])
            initial.append(self.tensor(scope, lambda other, shape=shape: other == shape))
        low, high, step = (self.literal(scope, value) for value in (0, count, 1))
        block = Block(arg_types=[IndexType(), *(value.type for value in initial)])
        inner = Scope(
            Builder(InsertPoint.at_end(block)),
            [*scope.tensors, *block.args[1:]],
            [*scope.indices, (block.args[0], count)],
        )
        self.statements(inner, depth + 1)
        yielded = [self.tensor(inner, lambda shape, like=value: shape == tdsl.shape_of(like)) for value in initial]
        inner.builder.insert(scf.YieldOp(*yielded))
        loop = scope.builder.insert(scf.ForOp(low, high, step, initial, block))
        for result in loop.results:
            self.add(scope, result)

    def gather(self, scope: Scope) -> SSAValue:
        """Write a one-dimensional concatenation of the last five tensors, or of all if there are fewer, and return it.
        The result of the program thus depends on each of them.
        """
        parts = scope.tensors[-5:]
        sizes = [prod(tdsl.shape_of(part)) for part in parts]
        whole = scope.builder.insert(tdsl.FillOp(0.0, TensorType(f32, [sum(sizes)]))).out
        for i, (part, size) in enumerate(zip(parts, sizes, strict=True)):
            flat = scope.builder.insert(tdsl.ReshapeOp(part, [size])).out
            start = self.literal(scope, sum(sizes[:i]))
            whole = scope.builder.insert(tdsl.InsertSliceOp(flat, whole, [start])).out
        return whole


@st.composite
def programs(draw: st.DrawFn) -> str:
    """The texts of random modules of one function from a tensor to a label and a tensor."""
    return str(Writer(draw).module())
