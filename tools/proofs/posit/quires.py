"""A sum of products of standard posits, statements about the sum, and the lowering of its ops.

The statements interpret the emitted arithmetic. Calls of runtime functions are replaced by the programs of these
functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from random import Random
from typing import Any

from numpy.typing import NDArray
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerType, MemRefType, ModuleOp, UnitAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tinyml.dialects.context import context
from tinyml.dialects.exact.expansion import expand
from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.dialects.formats.number_format import Factor, Product
from tinyml.dialects.formats.posit.arithmetic import Posit, pack
from tinyml.dialects.formats.posit.layout import Layout
from tinyml.dialects.formats.posit.parts import Parts, parts_of
from tinyml.dialects.formats.posit.quire import QuireType, quire_for
from tinyml.dialects.formats.posit.quire_op import FLAG
from tinyml.dialects.formats.posit.specification import posit_number, posits
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.formats.specification import Listed
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.emitter import WRAPS
from tinyml.tools.proofs.proving import Domain, Promises, Statement
from tinyml.tools.proofs.values import Truths, Values
from tinyml.transforms.bits.inline_runtime import InlineRuntimePass
from tinyml.transforms.ir.arithmetic import FunctionContext

SAMPLES = 400
"""The number of random inputs that are tested in addition to the ends of the operands and sums where results change."""


@dataclass(frozen=True)
class Summed:
    """A sum of `length` products of two numbers each, and the quire in which the sum is computed.

    format: the format of the left factors and of the result.
    other: the format of the right factors, which are posits or integers with one exponent; None for `format`.
    """

    format: PositType
    length: int
    other: ExactFormat | None = None

    @cached_property
    def formats(self) -> tuple[PositType, ExactFormat]:
        return self.format, self.other or self.format

    @cached_property
    def quire(self) -> QuireType:
        lhs, rhs = map(Factor, self.formats)
        return quire_for([Product(self.length, lhs, rhs)])

    @cached_property
    def layout(self) -> Layout:
        return self.quire.layout

    @cached_property
    def parts(self) -> tuple[Parts, Parts]:
        """The significands and exponents of the left and of the right factors."""
        lhs, rhs = map(parts_of, self.formats)
        return lhs, rhs

    @property
    def step(self) -> int:
        """The distance of adjacent positions, in bits: 1, or the distance of adjacent bins."""
        return self.layout.unit(*self.parts)

    @property
    def leasts(self) -> tuple[int, int]:
        """The exponent of position 0, for each of the two factors."""
        return self.layout.leasts(*self.parts)

    @property
    def change(self) -> int:
        """The greatest amount by which one product changes a bin."""
        layout, moved = self.layout, self.step > 1
        if layout.is_single:
            return self.greatest
        bits = layout.product_bits(*self.parts)
        largest = bits if layout.parts(bits, moved=moved) == 1 else layout.part
        return (1 << largest + (0 if moved else layout.step - 1)) - 1

    @property
    def greatest(self) -> int:
        """The greatest magnitude of a product, in units of the sum."""
        lhs, rhs = (
            max(size * Fraction(2) ** (least + self.step * place) for place, size in enumerate(self.most(factor)))
            for factor, least in enumerate(self.leasts)
        )
        return int(lhs * rhs * Fraction(2) ** self.layout.frac)

    def most(self, factor: int) -> Sequence[int]:
        """The greatest magnitude of the significands of a factor at each position, by position.

        factor: 0 for the left factor, 1 for the right factor.
        """
        parts, least = self.parts[factor], self.leasts[factor]
        if parts.posit is None:
            return [max(map(abs, parts.format.integer_limits))]
        significands, exponents, _ = parts.split(_around_powers(parts.posit))
        moved, places = significands << (exponents - least) % self.step, (exponents - least) // self.step
        found = np.zeros(parts.greatest_place(self.step, least) + 1, np.int64)
        np.maximum.at(found, places, moved)
        return found.tolist()

    def number(self, raw: int) -> Fraction:
        """The number that a raw represents. The raw must not be NaR."""
        size = posit_number(abs(raw), self.format.n.data, self.format.es.data) if raw else Fraction(0)
        return -size if raw < 0 else size

    @property
    def documented(self) -> Listed:
        return posits(self.format.n.data, self.format.es.data, None)

    def __str__(self) -> str:
        lhs, rhs = (one.type for one in self.formats)
        return f"{self.length} products of {lhs}{'' if rhs == lhs else f' and {rhs}'} in {self.quire}"


def _around_powers(posit: Posit) -> NDArray[np.int64]:
    """The raws of the positive posits around each power of two. They include the greatest posit below the power."""
    exponents = np.arange(-posit.reach, posit.reach + 2)
    nearest = pack(np.ones_like(exponents), exponents, posit)
    raws = np.unique([nearest - 1, nearest, nearest + 1])
    return raws[(raws > 0) & (raws <= posit.maxpos)]


@dataclass(frozen=True, kw_only=True)
class QuireStatement(Statement):
    """A statement about an op that computes a part of a sum.

    divided: the pieces of the domains, one per solver query.
    tried: inputs that are tested first.
    promised: returns the conditions of the lowered op, as `Statement.promises` does.
    in_python: computes the result for arrays of inputs.
    """

    sum: Summed
    promised: Callable[[], Promises]
    in_python: Callable[[Sequence[Any]], Any]
    divided: Sequence[Sequence[Domain]] = ()
    tried: Callable[[], Sequence[Sequence[int]]] | None = None

    def promises(self) -> Promises:
        return self.promised()

    def evaluated(self, inputs: Sequence[Any]) -> Values | Truths:
        return Values(np.asarray(self.in_python(inputs)))

    def pieces(self) -> Iterator[Sequence[Domain]]:
        yield from self.divided or [self.domains]

    def samples(self) -> list[Any]:
        """The inputs `tried` if given; otherwise combinations of the operands' ends, and random inputs."""
        if self.tried is not None:
            return [np.array(column, object) for column in zip(*self.tried(), strict=True)]
        random = Random(0)
        ends = product(*(sorted({domain[0], domain[-1]}) for domain in self.domains))
        drawn = [[domain[random.randrange(len(domain))] for domain in self.domains] for _ in range(SAMPLES)]
        return [np.array(column, object) for column in zip(*ends, *drawn, strict=True)]

    def as_test(self, inputs: Sequence[int], documented: int) -> str:
        format, other = (str(one.type) for one in self.sum.formats)
        given = format, other, self.sum.length, self.name, [*inputs]
        return (
            "from tinyml.tools.proofs.posit.quire_statements import is_right\n\n\n"
            f"def test_counterexample():\n    assert is_right({', '.join(map(repr, given))})\n"
        )


def lowered(
    types: Sequence[Attribute], make: Callable[[Sequence[SSAValue]], Sequence[Operation]], *, is_quire: bool = False
) -> Block:
    """Lower the ops that `make` builds. Return the block that contains them and returns the results of the last op.

    types: the types of the arguments of the block.
    is_quire: true if the first two arguments are a quire in memory and its flag.
    """
    block = Block(arg_types=types)
    ops = make(block.args)
    block.add_ops([*ops, func.ReturnOp(*ops[-1].results)])
    results = [result.type for result in ops[-1].results]
    function = func.FuncOp("alone", (types, results), Region(block))
    module = ModuleOp([function])
    lowering = FunctionContext(module, function)
    if is_quire:
        lowering.companions[block.args[0]] = block.args[1]
    expand(function, lowering)
    InlineRuntimePass().apply(context(), module)
    for op in module.walk():
        # A left shift drops no significant bits; nor does a mask that drops a carry from an 8-bit register, whose
        # arithmetic C computes in more bits. The lower word of a product has no sign.
        if isinstance(op, arith.ShLIOp) or _is_lower_word(op) or (isinstance(op, arith.AddiOp) and _is_masked(op)):
            op.attributes[WRAPS] = UnitAttr()
    return block


def _is_lower_word(op: Operation) -> bool:
    return isinstance(op, arith.TruncIOp) and isinstance(op.input.owner, arith.MuliOp)


def _is_masked(op: arith.AddiOp) -> bool:
    return op.result.type == IntegerType(FLAG) and all(
        isinstance(use.operation, arith.AndIOp) for use in op.result.uses
    )


def memory_of(sum: Summed) -> list[Attribute]:
    return [sum.layout.storage, MemRefType(IntegerType(FLAG), [1])]
