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

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerType, MemRefType, ModuleOp, UnitAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tinyml.dialects.context import context
from tinyml.dialects.exact.expansion import expand
from tinyml.dialects.formats.number_format import Factor, Product
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
    """A sum of `length` products of two posits each, all of one type, and the quire in which the sum is computed."""

    format: PositType
    length: int

    @cached_property
    def quire(self) -> QuireType:
        return quire_for([Product(self.length, Factor(self.format), Factor(self.format))])

    @cached_property
    def layout(self) -> Layout:
        return self.quire.layout

    @cached_property
    def parts(self) -> Parts:
        return parts_of(self.format)

    @property
    def step(self) -> int:
        """The distance of adjacent bins, in bits."""
        return self.layout.unit(self.parts, self.parts)

    @property
    def leasts(self) -> tuple[int, int]:
        """The exponent of position 0, for each of the two factors."""
        return self.layout.leasts(self.parts, self.parts)

    @property
    def change(self) -> int:
        """The greatest amount by which one product changes a bin."""
        layout, moved = self.layout, self.step > 1
        if layout.is_single:
            return self.greatest
        bits = layout.product_bits(self.parts, self.parts)
        largest = bits if layout.parts(bits, moved=moved) == 1 else layout.part
        return (1 << largest + (0 if moved else layout.step - 1)) - 1

    @property
    def greatest(self) -> int:
        """The greatest magnitude of a product, in units of the sum."""
        return int(self.number(self.format.posit.maxpos) ** 2 * Fraction(2) ** self.layout.frac)

    def most(self, least: int) -> Sequence[int]:
        """The greatest magnitude of the significands at each position, by position.

        least: the exponent of position 0.
        """
        raws = np.arange(1, -self.format.posit.nar)
        significands, exponents, _ = self.parts.split(raws)
        moved, places = significands << (exponents - least) % self.step, (exponents - least) // self.step
        found = np.zeros(self.parts.greatest_place(self.step, least) + 1, np.int64)
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
        return f"{self.length} products of {self.format} in {self.quire}"


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
        format = self.sum.format
        given = (format.n.data, format.es.data), self.sum.length, self.name, [*inputs]
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
        # arithmetic C computes in more bits.
        if isinstance(op, arith.ShLIOp) or (isinstance(op, arith.AddiOp) and _is_masked(op)):
            op.attributes[WRAPS] = UnitAttr()
    return block


def _is_masked(op: arith.AddiOp) -> bool:
    return op.result.type == IntegerType(FLAG) and all(
        isinstance(use.operation, arith.AndIOp) for use in op.result.uses
    )


def memory_of(sum: Summed) -> list[Attribute]:
    return [sum.layout.storage, MemRefType(IntegerType(FLAG), [1])]
