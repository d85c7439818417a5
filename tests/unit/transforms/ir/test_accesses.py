"""The analysis of accesses against the execution of all iterations of generated nests, byte by byte."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from programs.printed import parse
from xdsl.dialects import scf

from tinyml.transforms.ir.accesses import NEVER, accesses, distance
from tinyml.transforms.ir.indices import trips_of

VIEWS = {0: (0, 8), 1: (0, 16), 2: (64, 16), 3: (1000, 8), 4: (68, 8)}
"""Views of an arena: where they start, in bytes, and the bits of an element. Some share bytes."""
ELEMENTS = 100


class Given(NamedTuple):
    """An access: the view, and the element as factors of the indices of three loops, one of an odd value, and a sum.

    The odd value is the square of the index of the loop in the middle.
    """

    view: int
    factors: tuple[int, int, int, int]
    constant: int
    writes: bool

    def bytes(self, outer: int, middle: int, inner: int) -> range:
        start, bits = VIEWS[self.view]
        values = outer, middle, inner, middle * middle
        element = self.constant + sum(f * value for f, value in zip(self.factors, values, strict=True))
        first = start + element * bits // 8
        return range(first, first + bits // 8)

    def lines(self, number: int) -> Iterator[str]:
        """The slice begins at the terms of the loops around, and the index is the sum of the others."""
        bits, (outer, middle, inner, square) = VIEWS[self.view][1], self.factors
        yield f"%f{number} = arith.constant {outer} : index"
        yield f"%at{number} = arith.muli %outer, %f{number} : index"
        whole, part = (f"memref<{count}xi{bits}>" for count in (ELEMENTS, ELEMENTS - outer * 4))
        yield f"%s{number} = scratch.slice %V{self.view}[%at{number}] : {whole} to {part}"
        yield f"%x{number}_0 = arith.constant {self.constant} : index"
        for term, (value, factor) in enumerate((("middle", middle), ("inner", inner), ("square", square))):
            yield f"%g{number}_{term} = arith.constant {factor} : index"
            yield f"%p{number}_{term} = arith.muli %{value}, %g{number}_{term} : index"
            yield f"%x{number}_{term + 1} = arith.addi %x{number}_{term}, %p{number}_{term} : index"
        there = f"%s{number}[%x{number}_3] : {part}"
        yield f"memref.store %v{bits}, {there}" if self.writes else f"%l{number} = memref.load {there}"


class Nest(NamedTuple):
    """Three loops, given by their iterations, the middle one by its step, too, around two accesses."""

    outer: int
    middle: int
    step: int
    inner: int
    first: Given
    second: Given

    @property
    def text(self) -> str:
        views = [
            f"%V{number} = scratch.view %arena[{start} : i64] : memref<2000xi8> to memref<{ELEMENTS}xi{bits}>"
            for number, (start, bits) in VIEWS.items()
        ]
        bounds = {"zero": 0, "one": 1, "o": self.outer, "m": self.middle * self.step, "s": self.step, "i": self.inner}
        return "\n".join(
            [
                "func.func @f() {",
                "%arena = scratch.arena {alignment = 4 : i64} : memref<2000xi8>",
                *views,
                *(f"%{name} = arith.constant {value} : index" for name, value in bounds.items()),
                "%v8 = arith.constant 1 : i8\n%v16 = arith.constant 1 : i16",
                "scf.for %outer = %zero to %o step %one {",
                "scf.for %middle = %zero to %m step %s {",
                "%square = arith.muli %middle, %middle : index",
                "scf.for %inner = %zero to %i step %one {",
                *self.first.lines(1),
                *self.second.lines(2),
                "}\n}\n}\nfunc.return\n}",
            ]
        )

    @property
    def points(self) -> list[tuple[int, int, int]]:
        middle = range(0, self.middle * self.step, self.step)
        return [*product(range(self.outer), middle, range(self.inner))]

    @property
    def distances(self) -> set[int]:
        """The iterations of the middle loop between accesses of the same byte, within an iteration of the outer one."""
        return {
            (there[1] - here[1]) // self.step
            for here, there in product(self.points, repeat=2)
            if here[0] == there[0] and {*self.first.bytes(*here)} & {*self.second.bytes(*there)}
        }


FACTORS = st.tuples(st.integers(0, 3), st.integers(0, 4), st.sampled_from([0, 0, 1, 2]), st.sampled_from([0, 0, 0, 1]))
GIVEN = st.builds(Given, st.sampled_from([*VIEWS]), FACTORS, st.integers(0, 9), st.booleans())
ALIKE = st.builds(
    lambda one, constant, writes: (one, one._replace(constant=constant, writes=writes)),
    GIVEN,
    st.integers(0, 9),
    st.booleans(),
)
"""Two accesses of a view whose elements differ by a constant, as those of most loops do."""

NESTS = st.builds(
    lambda outer, middle, step, inner, pair: Nest(outer, middle, step, inner, *pair),
    st.integers(2, 3),
    st.integers(2, 4),
    st.integers(1, 3),
    st.integers(2, 3),
    st.one_of(ALIKE, st.tuples(GIVEN, GIVEN)),
)


@given(nest=NESTS)
def test_against_all_iterations(nest: Nest):
    """No conflict is missed, distances are those of the execution, and accesses meet if and only if they always do."""
    module = parse(nest.text)[1]
    loop = [op for op in module.walk() if isinstance(op, scf.ForOp)][1]
    found = accesses(loop.body.block)
    assert found is not None
    first, second = found
    assert [first.writes, second.writes] == [nest.first.writes, nest.second.writes]
    same = [nest.first.bytes(*point) == nest.second.bytes(*point) for point in nest.points]
    if nest.first.factors[3] == nest.second.factors[3] == 0:
        assert first.meets(second) == all(same)
    assert not first.meets(second) or all(same)
    if first.is_apart(second):
        assert not nest.distances
    between = distance(first, second, loop.body.block, nest.step, trips_of(loop))
    if between == NEVER:
        assert not nest.distances
    elif between is not None:
        assert nest.distances == {between}


@given(nest=NESTS)
def test_distances_along_one_loop_are_known(nest: Nest):
    """Elements that move with a loop alone have a distance, unless all iterations access the same one."""
    first, second = (given._replace(factors=(*given.factors[:2], 0, 0)) for given in (nest.first, nest.second))
    second = second._replace(view=first.view, factors=first.factors)
    nest = nest._replace(first=first, second=second)
    loop = [op for op in parse(nest.text)[1].walk() if isinstance(op, scf.ForOp)][1]
    found = accesses(loop.body.block)
    assert found is not None
    between = distance(*found, loop.body.block, nest.step, trips_of(loop))
    assert (between is None) == (len(nest.distances) > 1)
