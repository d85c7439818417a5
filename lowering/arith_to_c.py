"""`lower-arith-to-c`: one function on integers, floats and memory becomes a C program (L4 to L5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    Signedness,
    i1,
    i8,
    i16,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import c, scratch
from tinyml.dialects.c.types import CONST, RAM, width_of
from tinyml.dialects.errors import InputError
from tinyml.dialects.machine import width_for
from tinyml.dialects.places import error_at
from tinyml.dialects.scratch import element_bytes, memref_type
from tinyml.lowering.c_builder import ExpressionBuilder
from tinyml.lowering.c_cleanup import remove_dead
from tinyml.lowering.c_comparisons import FLOAT_PREDICATES, INTEGER_PREDICATES
from tinyml.lowering.c_program import ProgramBuilder
from tinyml.lowering.consecutive_loads import Inductions
from tinyml.lowering.step_names import is_shift


@dataclass(frozen=True)
class LowerArithToCPass(ModulePass):
    """Replaces the module's content by a `c.program` with the functions `NAME_predict` and `NAME_scores`.

    The module holds one public function with a body, `(memref) -> ([index], [memref])`, and declarations of runtime
    functions. Raises InputError for anything else and for operations without a C spelling. Attributes `tinyml.format`
    (strings: number formats, as types are written) of the argument, the results, constants and views become comments.
    """

    name = "lower-arith-to-c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = _model(op)
        program = ProgramBuilder(ctx, function)
        memory = RAM if program.overwrites_input else CONST
        body = Block(arg_types=[c.PointerType(program.input.element_type, memory)])
        body.args[0].name_hint = function.body.block.args[0].name_hint or "X"
        _FunctionLowering(program, body).lower_function(function)
        lowered = program.finish(body)
        for old in list(op.body.block.ops)[::-1]:
            old.detach()
            old.erase(safe_erase=False)
        op.body.block.add_op(lowered)
        remove_dead(lowered)


def _model(module: ModuleOp) -> func.FuncOp:
    models: list[func.FuncOp] = []
    for op in module.ops:
        if not isinstance(op, func.FuncOp):
            raise _unsupported(op)
        if not op.is_declaration:
            models.append(op)
    if len(models) != 1:
        raise InputError(f"one function with a body is wanted, there are {len(models)}")
    return models[0]


def _unsupported(op: Operation, why: str = "has no spelling in C") -> InputError:
    return error_at(op, f"'{op.name}' {why}")


class _FunctionLowering:
    """Walks a function and writes its C; `values` maps what has been lowered."""

    def __init__(self, program: ProgramBuilder, body: Block):
        self.program = program
        self.body = body
        self.build = ExpressionBuilder(Builder(InsertPoint.at_end(body)))
        self.values: dict[SSAValue, SSAValue] = {}
        self.walking: dict[Operation, SSAValue] = {}
        """Loads that became steps of a pointer variable."""

    def lower_function(self, function: func.FuncOp) -> None:
        self.values[function.body.block.args[0]] = self.body.args[0]
        self.lower_block(function.body.block)

    def lower_block(self, block: Block) -> None:
        for op in block.ops:
            if (lower := _LOWERINGS.get(type(op))) is None:
                raise _unsupported(op)
            self.build.location = op.location
            lower(self, op)

    def nested(self, block: Block, write: Callable[[], None]) -> Region:
        """A region whose one block is filled by what `write` inserts."""
        outer, location = self.build.builder, self.build.location
        self.build.builder = Builder(InsertPoint.at_end(block))
        write()
        self.build.builder, self.build.location = outer, location
        return Region(block)

    def operands(self, op: Operation) -> list[SSAValue]:
        return [self.values[operand] for operand in op.operands]

    def expression(self, op: Operation, lowered: Operation) -> None:
        self.values[op.results[0]] = self.build.insert(lowered, op.results[0].name_hint)

    def variable(self, type: Attribute, init: SSAValue | None, hint: str | None) -> SSAValue:
        return self.build.insert(c.VariableOp(type, init), hint)

    def read(self, variable: SSAValue) -> SSAValue:
        return self.build.insert(c.ReadOp(variable), variable.name_hint)

    def assign_all(self, variables: list[SSAValue], end: Operation | None) -> None:
        """Assign what a terminator yields. The values may depend on the variables: all were read before."""
        assert end is not None
        for variable, value in zip(variables, self.operands(end), strict=True):
            if not (isinstance(old := value.owner, c.ReadOp) and old.variable is variable):
                self.build.statement(c.AssignOp(variable, value))


def _constant(at: _FunctionLowering, op: arith.ConstantOp) -> None:
    if not isinstance(op.value, IntegerAttr | FloatAttr):
        raise _unsupported(op)
    at.expression(op, c.LiteralOp(op.value))


def _binary(operator: str) -> Callable[[_FunctionLowering, Any], None]:
    def lower(at: _FunctionLowering, op: Operation) -> None:
        lhs, rhs = at.operands(op)
        at.values[op.results[0]] = at.build.binary(lhs, operator, rhs, op.results[0].name_hint)

    return lower


def _multiply(at: _FunctionLowering, op: arith.MuliOp) -> None:
    lhs, rhs = (_factor(at, operand, other) for operand, other in (op.operands, reversed(op.operands)))
    result = op.result.type
    if (
        lhs is not None
        and rhs is not None
        and isinstance(result, IntegerType)
        and 2 * max(width_of(lhs.type), width_of(rhs.type)) <= width_of(result)
    ):
        at.expression(op, c.MultiplyWideOp(lhs, rhs, result))
    else:
        _binary("*")(at, op)


def _factor(at: _FunctionLowering, operand: SSAValue, other: SSAValue) -> SSAValue | None:
    """A factor before it was extended, or a constant that fits the width of the other factor before."""
    if isinstance(extended := operand.owner, arith.ExtSIOp):
        return None if extended.input.type == i1 else at.values[extended.input]
    number = const_evaluate_operand(operand)
    if number is None or not isinstance(extended := other.owner, arith.ExtSIOp) or is_shift(number, str(other.type)):
        return None
    factor = extended.input.type
    fits = factor in (i8, i16) and width_for(number, number) <= width_of(factor) == width_of(other.type) // 2
    return at.build.literal(number, factor) if fits else None


def _float_binary(operator: str) -> Callable[[_FunctionLowering, Any], None]:
    def lower(at: _FunctionLowering, op: Operation) -> None:
        at.expression(op, c.BinaryOp(*_spread(at.operands(op), operator)))

    return lower


def _spread(operands: list[SSAValue], operator: str) -> tuple[SSAValue, str, SSAValue]:
    lhs, rhs = operands
    return lhs, operator, rhs


def _extreme(operator: str) -> Callable[[_FunctionLowering, Any], None]:
    def lower(at: _FunctionLowering, op: Operation) -> None:
        lhs, rhs = at.operands(op)
        first = at.build.insert(c.CompareOp(lhs, operator, rhs))
        at.expression(op, c.ConditionalOp(first, lhs, rhs))

    return lower


def _compare_integers(at: _FunctionLowering, op: arith.CmpiOp) -> None:
    operator = INTEGER_PREDICATES.get(op.predicate.value.data)
    if operator is None:
        raise _unsupported(op, "compares unsigned, which has no spelling in C here")
    at.expression(op, c.CompareOp(*_spread(at.operands(op), operator)))


def _compare_floats(at: _FunctionLowering, op: arith.CmpfOp) -> None:
    if (found := FLOAT_PREDICATES.get(op.predicate.value.data)) is None:
        raise _unsupported(op, "has a predicate without a spelling in C")
    operator, negated = found
    lowered = c.CompareOp(*_spread(at.operands(op), operator))
    at.expression(op, c.UnaryOp("!", at.build.insert(lowered)) if negated else lowered)


def _select(at: _FunctionLowering, op: arith.SelectOp) -> None:
    at.expression(op, c.ConditionalOp(*at.operands(op)))


def _cast(at: _FunctionLowering, op: Operation) -> None:
    [operand] = at.operands(op)
    at.expression(op, c.CastOp(operand, op.results[0].type))


def _extend_signed(at: _FunctionLowering, op: arith.ExtSIOp) -> None:
    if op.input.type != i1:
        return _cast(at, op)
    # The one bit of a true i1 is its sign.
    wide = at.build.insert(c.CastOp(at.values[op.input], op.result.type))
    at.expression(op, c.UnaryOp("-", wide))


def _extend_unsigned(at: _FunctionLowering, op: Operation) -> None:
    [operand] = at.operands(op)
    if operand.type not in (i1, IndexType()):
        operand = at.build.insert(c.CastOp(operand, IntegerType(width_of(operand.type), Signedness.UNSIGNED)))
    at.expression(op, c.CastOp(operand, op.results[0].type))


def _truncate(at: _FunctionLowering, op: arith.TruncIOp) -> None:
    if op.result.type != i1:
        return _cast(at, op)
    value = at.values[op.input]
    low = at.build.insert(c.BinaryOp(value, "&", at.build.literal(1, value.type)))
    at.expression(op, c.CompareOp(low, "!=", at.build.literal(0, value.type)))


def _call(at: _FunctionLowering, op: func.CallOp) -> None:
    if len(op.results) > 1:
        raise _unsupported(op, "must return one value or none")
    name = op.callee.string_value()
    at.program.use_function(name)
    if op.results:
        at.expression(op, c.CallOp(name, at.operands(op), op.results[0].type))
    else:
        at.build.statement(c.InvokeOp(name, at.operands(op)))


def _array(at: _FunctionLowering, op: memref.AllocaOp) -> None:
    type = memref_type(op.memref)
    at.values[op.memref] = at.build.insert(c.ArrayOp(type.element_type, prod(type.get_shape())), op.memref.name_hint)


def _same(at: _FunctionLowering, op: memref.CastOp) -> None:
    at.values[op.dest] = at.values[op.source]


def _flash(at: _FunctionLowering, op: scratch.ConstantOp) -> None:
    at.expression(op, c.SymbolOp(at.program.constant(op), memref_type(op.result).element_type))


def _arena(at: _FunctionLowering, op: scratch.ArenaOp) -> None:
    at.program.declare_arena(op)


def _view(at: _FunctionLowering, op: scratch.ViewOp) -> None:
    if op.arena not in at.values:
        return at.expression(op, at.program.view(op))
    first = at.build.literal(op.offset.value.data // element_bytes(memref_type(op.arena)))
    at.values[op.result] = at.build.address(at.values[op.arena], first, op.result.name_hint)


def _slice(at: _FunctionLowering, op: scratch.SliceOp) -> None:
    pointer, offset = at.operands(op)
    hint = op.result.name_hint or op.source.name_hint
    at.values[op.result] = at.build.address(pointer, offset, hint)


def _position(at: _FunctionLowering, op: memref.LoadOp | memref.StoreOp) -> SSAValue:
    return at.build.linear([at.values[index] for index in op.indices], memref_type(op.memref).get_shape())


def _load(at: _FunctionLowering, op: memref.LoadOp) -> None:
    if op in at.walking:
        at.expression(op, c.NextOp(at.walking[op]))
    else:
        at.expression(op, c.LoadOp(at.values[op.memref], _position(at, op)))


def _store(at: _FunctionLowering, op: memref.StoreOp) -> None:
    at.build.statement(c.StoreOp(at.values[op.value], at.values[op.memref], _position(at, op)))


def _for(at: _FunctionLowering, op: scf.ForOp) -> None:
    step = const_evaluate_operand(op.step)
    if step is None or not isinstance(op.lb.type, IndexType):
        raise _unsupported(op, "needs a constant step and index bounds to become a loop of C")
    body = op.body.block
    inductions = Inductions(op)
    walks = [(load, load.indices) for load in inductions.consecutive_loads()] + inductions.nested_walks()
    for load, indices in walks:
        if load not in at.walking:
            shape = memref_type(load.memref).get_shape()
            first = [inductions.at_first(index, at.build, at.values.__getitem__) for index in indices]
            pointer = at.build.address(at.values[load.memref], at.build.linear(first, shape))
            at.walking[load] = at.variable(pointer.type, pointer, f"{_source_hint(load.memref)}_at")
    hints = [arg.name_hint or result.name_hint for arg, result in zip(body.args[1:], op.results, strict=True)]
    variables = [
        at.variable(init.type, init, hint)
        for init, hint in zip((at.values[arg] for arg in op.iter_args), hints, strict=True)
    ]
    block = Block(arg_types=[IndexType()])
    at.values[body.args[0]] = block.args[0]
    block.args[0].name_hint = body.args[0].name_hint

    def write() -> None:
        for arg, variable in zip(body.args[1:], variables, strict=True):
            at.values[arg] = at.read(variable)
        at.lower_block(body)
        at.assign_all(variables, body.last_op)

    region = at.nested(block, write)
    at.build.statement(c.ForOp(at.values[op.lb], at.values[op.ub], step, region))
    for result, variable in zip(op.results, variables, strict=True):
        at.values[result] = at.read(variable)


def _source_hint(value: SSAValue) -> str:
    while value.name_hint is None and isinstance(op := value.owner, scratch.SliceOp):
        value = op.source
    return value.name_hint or "p"


def _if(at: _FunctionLowering, op: scf.IfOp) -> None:
    variables = [at.variable(result.type, None, result.name_hint) for result in op.results]

    def branch(region: Region) -> Region:
        if not region.blocks:
            return Region()

        def write() -> None:
            at.lower_block(region.block)
            at.assign_all(variables, region.block.last_op)

        return at.nested(Block(), write)

    then, otherwise = branch(op.true_region), branch(op.false_region)
    at.build.statement(c.IfOp(at.values[op.cond], then, otherwise))
    for result, variable in zip(op.results, variables, strict=True):
        at.values[result] = at.read(variable)


def _return(at: _FunctionLowering, op: func.ReturnOp) -> None:
    label = at.program.interpret_results(op)
    at.build.statement(c.ReturnOp(None if label is None else at.build.insert(c.CastOp(at.values[label], i16))))


def _nothing(at: _FunctionLowering, op: Operation) -> None:
    """Terminators are written where the variables are known that they assign."""


_LOWERINGS: dict[type[Operation], Callable[[_FunctionLowering, Any], None]] = {
    arith.ConstantOp: _constant,
    arith.AddiOp: _binary("+"),
    arith.SubiOp: _binary("-"),
    arith.MuliOp: _multiply,
    arith.DivSIOp: _binary("/"),
    arith.ShRSIOp: _binary(">>"),
    arith.AndIOp: _binary("&"),
    arith.MinSIOp: _extreme("<"),
    arith.MaxSIOp: _extreme(">"),
    arith.CmpiOp: _compare_integers,
    arith.CmpfOp: _compare_floats,
    arith.SelectOp: _select,
    arith.ExtSIOp: _extend_signed,
    arith.ExtUIOp: _extend_unsigned,
    arith.TruncIOp: _truncate,
    arith.IndexCastOp: _cast,
    arith.AddfOp: _float_binary("+"),
    arith.SubfOp: _float_binary("-"),
    arith.MulfOp: _float_binary("*"),
    func.CallOp: _call,
    func.ReturnOp: _return,
    memref.AllocaOp: _array,
    memref.CastOp: _same,
    memref.LoadOp: _load,
    memref.StoreOp: _store,
    scf.ForOp: _for,
    scf.IfOp: _if,
    scf.YieldOp: _nothing,
    scratch.ArenaOp: _arena,
    scratch.ConstantOp: _flash,
    scratch.SliceOp: _slice,
    scratch.ViewOp: _view,
}
