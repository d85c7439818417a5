"""Loop-carried sums of products: matching, and strip mining of their loops into blocks of iterations (L0, L1).

`round_carried_sums` rounds each block once. `squared_distances` finds sums of squares, which no loop carries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import IndexType, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.loops import iterations_of
from tinyml.dialects.operations import index_constant
from tinyml.dialects.rewriting import Builder, Rewriter

SumStep: TypeAlias = "tdsl.AddOp | tdsl.MacOp | tdsl.MatmulSumOp"
"""An op that adds a product to a sum: a separate product, rounded to a format, or a product of its own."""

MIN_BLOCK = 4
"""The smallest block of iterations; with fewer, the calls of their dot products cost more than they save."""


@dataclass(frozen=True)
class LoopCarriedSum:
    """The ops of a sum `carried + constant[i] * factor` in a loop with index i.

    position: the index of the sum in the loop's iter_args.
    step: the op that adds the product.
    weight: the op that extracts `constant[i]`.
    """

    loop: scf.ForOp
    position: int
    step: SumStep
    weight: tdsl.IndexOp
    constant: tdsl.ConstOp
    factor: SSAValue

    @staticmethod
    def match(loop: scf.ForOp, position: int) -> LoopCarriedSum | None:
        """The sum that the iter_arg `position` of a loop carries. None if it has another form, or if parts of
        the sum have other uses.
        """
        body = loop.body.block
        carried, step = body.args[1 + position], cast(scf.YieldOp, body.last_op).operands[position].owner
        match step:
            case tdsl.AddOp() if carried in (step.lhs, step.rhs):
                product = step.other(carried).owner
                if not (isinstance(product, tdsl.MulOp) and product.parent is body and product.out.has_one_use()):
                    return None
                pairs = [(product.lhs, product.rhs), (product.rhs, product.lhs)]
            case tdsl.MacOp() if step.sum is carried:
                pairs = [(step.lhs, step.rhs), (step.rhs, step.lhs)]
            case tdsl.MatmulSumOp() if step.initial is carried and not any(step.left_shifts):
                pairs = step.pairs
            case _:
                return None
        if not (step.parent is body and carried.has_one_use() and step.out.has_one_use()):
            return None
        for weight, factor in pairs:
            if (
                isinstance(index := weight.owner, tdsl.IndexOp)
                and index.index is body.args[0]
                and isinstance(constant := index.input.owner, tdsl.ConstOp)
                and tdsl.shape_of(weight) == tdsl.shape_of(step.out)
                and not isinstance(factor.owner, tdsl.ConstOp)
            ):
                return LoopCarriedSum(loop, position, step, index, constant, factor)
        return None

    @property
    def carried(self) -> SSAValue:
        return self.loop.body.block.args[1 + self.position]

    @property
    def rounded(self) -> RoundedSum | None:
        """The sum, if it starts from zero and each product is rounded before it is added. None for any other sum."""
        initial = self.loop.iter_args[self.position].owner
        if not isinstance(self.step, tdsl.AddOp) or not isinstance(initial, tdsl.FillOp):
            return None
        product = self.step.other(self.carried).owner
        if initial.value.value.data != 0 or not initial.out.has_one_use():
            return None
        return RoundedSum(self, initial, self.step, cast("tdsl.MulOp", product))

    @property
    def adds_columns(self) -> bool:
        return tdsl.shape_of(self.factor) == (1, 1) and tdsl.shape_of(self.weight.out)[1:] == (1,)

    @property
    def trips(self) -> int:
        return tdsl.shape_of(self.constant.result)[0]

    @property
    def is_alone(self) -> bool:
        """Whether the loop visits all columns, carries only this sum and computes its factors, and the weights have no
        other use.
        """
        alone = len(self.loop.iter_args) == 1 and self.constant.result.has_one_use() and self.weight.out.has_one_use()
        computed = any(self.factor in op.results for op in self.loop.body.block.ops)
        return alone and computed and self.adds_columns and iterations_of(self.loop) == range(self.trips)

    def strip_mine(self, most: int) -> None:
        """Split the iterations into blocks of the greatest size that is at most `most` and divides their number.

        If this size is below `MIN_BLOCK`, the loop is unchanged.
        """
        sizes = [size for size in range(MIN_BLOCK, most + 1) if self.trips % size == 0]
        if sizes:
            self._rewrite(sizes[-1])

    def _rewrite(self, size: int) -> None:
        old = self.loop.body.block
        blocks = self._blocks(size)
        sums: Attribute = self.step.out.type
        outer = Block(arg_types=[IndexType(), sums])
        outer.args[1].name_hint = old.args[1].name_hint
        build = Builder(InsertPoint.at_end(outer))
        factors = build.insert(tensor.EmptyOp((), TensorType(tdsl.format_of(self.factor).type, (size, 1)))).tensor
        factors.name_hint = "factors"
        zero, step, count = (_index(build, value) for value in (0, 1, size))
        first = build.insert(arith.MuliOp(outer.args[0], count)).result
        inner = build.insert(scf.ForOp(zero, count, step, [factors], self._factors(first, zero, factors.type)))
        inner.results[0].name_hint = self.factor.name_hint
        weights = build.insert(tdsl.IndexOp(blocks.result, outer.args[0]))
        result = self._sum(outer.args[1], weights.out, inner.results[0])
        build.insert(result)
        result.attributes |= self.step.attributes
        result.out.name_hint = self.step.out.name_hint
        build.insert(scf.YieldOp(result.out))
        before = Builder(InsertPoint.before(self.loop))
        low, high, step = (_index(before, value) for value in (0, self.trips // size, 1))
        loop = before.insert(scf.ForOp(low, high, step, list(self.loop.iter_args), outer))
        loop.attributes |= self.loop.attributes
        loop.results[0].name_hint = self.loop.results[0].name_hint
        Rewriter.replace_op(self.loop, [], loop.results)
        Rewriter.erase_op(self.constant)

    def _sum(self, carried: SSAValue, weights: SSAValue, factors: SSAValue) -> tdsl.AccumulateOp | tdsl.MatmulSumOp:
        if isinstance(self.step, tdsl.MacOp):
            return tdsl.AccumulateOp(carried, weights, factors)
        return tdsl.MatmulSumOp([(weights, factors)], carried)

    def _blocks(self, size: int) -> tdsl.ConstOp:
        raws = self.constant.raws
        blocks = raws.reshape(-1, size, raws.shape[1]).swapaxes(1, 2)
        constant = tdsl.ConstOp(blocks, tdsl.format_of(self.constant.result))
        constant.result.name_hint = self.constant.result.name_hint
        Rewriter.insert_op(constant, InsertPoint.before(self.constant))
        return constant

    def _factors(self, first: SSAValue, zero: SSAValue, type: Attribute) -> Block:
        """Create the body of a loop over the iterations of one block, and return it. It stores the factors of the
        products in a vector instead of adding the products.
        """
        old = self.loop.body.block
        block = Block(arg_types=[IndexType(), type])
        block.args[0].name_hint = old.args[0].name_hint
        build = Builder(InsertPoint.at_end(block))
        values: dict[SSAValue, SSAValue] = {old.args[0]: build.insert(arith.AddiOp(first, block.args[0])).result}
        for op in old.ops:
            if op not in (self.step, self.weight) and not isinstance(op, scf.YieldOp):
                copy = op.clone(value_mapper=values)
                build.insert(copy)
                values.update(zip(op.results, copy.results, strict=True))
        stored = build.insert(tdsl.InsertSliceOp(values[self.factor], block.args[1], [block.args[0], zero]))
        build.insert(scf.YieldOp(stored.out))
        return block


def _index(build: Builder, value: int) -> SSAValue:
    return build.insert(index_constant(value)).result


def round_carried_sums(module: ModuleOp, block: int) -> None:
    """In each loop that carries only a column `carried + constant[i] * x`, starting from zero, add the products without
    rounding them. Split the loop into blocks of iterations if it computes x and visits all columns of the constant.

    block: the maximum number of iterations whose products are added in one sum. This sum is exact in registers and
        rounded when it is stored.
    """
    for loop in [op for op in module.walk() if isinstance(op, scf.ForOp) and len(op.iter_args) == 1]:
        carried_sum = LoopCarriedSum.match(loop, 0)
        if carried_sum is not None and carried_sum.adds_columns and (rounded := carried_sum.rounded) is not None:
            fused = rounded.fuse()
            if fused.is_alone:
                fused.strip_mine(block)


@dataclass(frozen=True)
class RoundedSum:
    """A sum that starts from zero and to which a loop adds separate products, each rounded to a format."""

    sum: LoopCarriedSum
    initial: tdsl.FillOp
    add: tdsl.AddOp
    product: tdsl.MulOp

    def fuse(self) -> LoopCarriedSum:
        """Replace the rounded product and the addition by one op that adds the unrounded product. Return the sum."""
        fused = tdsl.MatmulSumOp([(self.sum.weight.out, self.sum.factor)], self.sum.carried)
        fused.attributes |= self.add.attributes
        fused.out.name_hint = self.add.out.name_hint
        Rewriter.replace_op(self.add, fused)
        Rewriter.erase_op(self.product)
        return replace(self.sum, step=fused)


def rounded_sums(root: Operation) -> Iterator[RoundedSum]:
    """Yield the loop-carried sums that start from zero and round each product, whatever their formats."""
    for loop in [op for op in root.walk() if isinstance(op, scf.ForOp)]:
        for position in range(len(loop.iter_args)):
            carried_sum = LoopCarriedSum.match(loop, position)
            if carried_sum is not None and (rounded := carried_sum.rounded) is not None:
                yield rounded


def squared_distances(root: Operation) -> Iterator[tuple[tdsl.MatmulOp, tdsl.SubOp]]:
    """Yield the products of a column vector with itself, each with the difference that is the vector, if the difference
    has no other uses.
    """
    for product in [op for op in root.walk() if isinstance(op, tdsl.MatmulOp)]:
        row, difference = product.lhs.owner, product.rhs.owner
        if (
            isinstance(difference, tdsl.SubOp)
            and isinstance(row, tdsl.ReshapeOp | tdsl.TransposeOp)
            and row.input is difference.out
            and row.out.has_one_use()
            and {use.operation for use in difference.out.uses} == {row, product}
            and tdsl.shape_of(difference.out)[1] == 1
            and tdsl.shape_of(difference.lhs) == tdsl.shape_of(difference.rhs)
        ):
            yield product, difference
