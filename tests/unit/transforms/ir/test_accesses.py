"""The analysis of memory accesses, compared byte by byte with the execution of all iterations of generated nests."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.printed import parse
from programs.spread import examples
from xdsl.dialects import scf

from tinyml.dialects.loops import trips_of
from tinyml.transforms.ir.accesses import DISJOINT_DISTANCE, Access, accesses, distance

VIEWS = {0: (0, 8), 1: (0, 16), 2: (64, 16), 3: (1000, 8), 4: (68, 8)}
"""Views of an arena: where they start, in bytes, and the bits of an element. Some share bytes."""
ELEMENTS = 120


class Given(NamedTuple):
    """A generated access to an element of a view. The index of the element is a linear function of the indices of three
    loops and of the square of the middle index.

    view: the index of the view in `VIEWS`.
    factors: those of the three indices and of the square.
    constant: the constant term.
    writes: whether the access is a store.
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
        """Yield the text of the access. Its slice begins at the term of the outer loop; its index within the slice is
        the sum of the other terms.

        number: the suffix of the names of its values.
        """
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
    """Three loops around two accesses.

    outer, middle, inner: the numbers of iterations of the loops.
    step: the step of the middle loop.
    first, second: the accesses.
    """

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
        """For accesses of the same byte in one iteration of the outer loop, the differences of the iteration numbers of
        the middle loop.
        """
        return {
            (there[1] - here[1]) // self.step
            for here, there in product(self.points, repeat=2)
            if here[0] == there[0] and {*self.first.bytes(*here)} & {*self.second.bytes(*there)}
        }


@st.composite
def nests(draw: st.DrawFn, simple: bool = False) -> Nest:
    """Random nests whose two accesses are often some iterations of the middle loop apart.

    simple: whether accesses depend only on the middle loop.
    """

    def given() -> Given:
        inner, square = (0, 0) if simple else (draw(st.sampled_from([0, 0, 1, 2])), draw(st.sampled_from([0, 0, 0, 1])))
        factors = draw(st.integers(0, 3)), draw(st.integers(0, 4)), inner, square
        return Given(draw(st.sampled_from([*VIEWS])), factors, draw(st.integers(9, 30)), draw(st.booleans()))

    outer, middle, step, inner = (draw(st.integers(*ends)) for ends in ((2, 3), (2, 4), (1, 3), (2, 3)))
    first = second = given()
    if simple or draw(st.booleans()):
        apart = step * first.factors[1] * draw(st.integers(-3, 3)) + draw(st.sampled_from([0, 0, 1]))
        second = first._replace(constant=max(first.constant + apart, 0), writes=draw(st.booleans()))
    else:
        second = given()
    return Nest(outer, middle, step, inner, first, second)


def analysed(nest: Nest) -> tuple[Access, Access, int | None]:
    """The two accesses of a nest as the analysis describes them, and their distance along the middle loop; None for an
    unknown distance.
    """
    loop = [op for op in parse(nest.text)[1].walk() if isinstance(op, scf.ForOp)][1]
    found = accesses(loop.body.block)
    assert found is not None
    first, second = found
    return first, second, distance(first, second, loop.body.block, nest.step, trips_of(loop))


@pytest.mark.long
@settings(max_examples=examples(50))
@given(nests())
def test_against_all_iterations(nest: Nest):
    """The analysis agrees with the execution of all iterations: accesses that it describes as separate never conflict,
    known distances are right, and for linear accesses, `meets` is true if and only if they always access the same
    bytes.
    """
    first, second, between = analysed(nest)
    assert [first.writes, second.writes] == [nest.first.writes, nest.second.writes]
    same = [nest.first.bytes(*point) == nest.second.bytes(*point) for point in nest.points]
    if nest.first.factors[3] == nest.second.factors[3] == 0:
        assert first.meets(second) == all(same)
    assert not first.meets(second) or all(same)
    if first.is_apart(second):
        assert not nest.distances
    if between is not None:
        assert nest.distances == ({between} if between != DISJOINT_DISTANCE else set())


@pytest.mark.long
@settings(max_examples=examples(50))
@given(nests(simple=True))
def test_distances_along_one_loop_are_known(nest: Nest):
    """Elements that depend on a single loop have a known distance, unless all iterations access the same element."""
    *_, between = analysed(nest)
    if between is None:
        assert len(nest.distances) > 1
    else:
        assert nest.distances == ({between} if between != DISJOINT_DISTANCE else set())
