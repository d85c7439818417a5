"""`lower-arith-to-c`: lowers one function on integers, floats and memory to a C program (L4 to L5).

This file lowers arithmetic and memory. `lowering/c/function.py` lowers loops, branches and calls.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    Signedness,
    SymbolRefAttr,
    i1,
    i8,
    i16,
)
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import c, num, scratch
from tinyml.dialects.c.declarations import DESCRIBED, PARTITION
from tinyml.dialects.c.types import CONST
from tinyml.dialects.errors import InputError
from tinyml.dialects.machine.machine import width_for
from tinyml.dialects.modules import on_call
from tinyml.dialects.operations import integer_width
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import memref_type
from tinyml.lowering.c.caller_functions import caller_functions
from tinyml.lowering.c.described_model import described_model
from tinyml.lowering.c.function import (
    CONTROL_FLOW,
    FunctionLowering,
    Spelling,
    Spellings,
    SpellingsOfClasses,
    unsupported,
)
from tinyml.lowering.c.program import ARENA, ProgramBuilder
from tinyml.lowering.c.scoped_arrays import declare_in_loops
from tinyml.targets.c.names import argument_name
from tinyml.transforms.ir.cost.demand import is_shift
from tinyml.transforms.ir.levels import BITS

INTEGER_PREDICATES = dict(enumerate(("==", "!=", "<", "<=", ">", ">=")))
"""The C operators for the predicates of `arith.cmpi`, by number."""

FLOAT_PREDICATES = {
    **{1: ("==", False), 2: (">", False), 3: (">=", False), 4: ("<", False), 5: ("<=", False)},
    **{13: ("!=", False), 9: ("<=", True), 10: ("<", True), 11: (">=", True), 12: (">", True)},
}
"""Predicates of arith.cmpf, by number: the C operator, and True if its result is negated (unordered comparisons)."""


def _constant(at: FunctionLowering, op: arith.ConstantOp) -> None:
    if not isinstance(op.value, IntegerAttr | FloatAttr):
        raise unsupported(op)
    at.expression(op, c.LiteralOp(op.value))


def _binary(operator: str) -> Spelling:
    def lower(at: FunctionLowering, op: Operation) -> None:
        lhs, rhs = at.operands(op)
        at.values[op.results[0]] = at.build.binary(lhs, operator, rhs, op.results[0].name_hint)

    return lower


def _multiply(at: FunctionLowering, op: arith.MuliOp) -> None:
    lhs, rhs = (_factor(at, operand, other) for operand, other in (op.operands, reversed(op.operands)))
    result = op.result.type
    if (
        lhs is not None
        and rhs is not None
        and isinstance(result, IntegerType)
        and 2 * max(integer_width(lhs.type), integer_width(rhs.type)) <= integer_width(result)
    ):
        at.expression(op, c.MultiplyWideOp(lhs, rhs, result))
    else:
        _binary("*")(at, op)


def _factor(at: FunctionLowering, operand: SSAValue, other: SSAValue) -> SSAValue | None:
    """The narrow operand of a C multiplication that computes a product of extended integers: the value before the
    extension, or a constant that fits the type from which `other` was extended. This type must be i8 or i16, and
    half as wide as the type of `other`.

    Returns None for any other factor, for the extension of an i1, and for a constant by which C shifts instead.
    """
    if isinstance(extended := operand.owner, arith.ExtSIOp):
        return None if extended.input.type == i1 else at.values[extended.input]
    number = const_evaluate_operand(operand)
    if number is None or not isinstance(extended := other.owner, arith.ExtSIOp) or is_shift(number, str(other.type)):
        return None
    factor = extended.input.type
    fits = factor in (i8, i16) and width_for(number, number) <= integer_width(factor) == integer_width(other.type) // 2
    return at.build.literal(number, factor) if fits else None


def _float_binary(operator: str) -> Spelling:
    def lower(at: FunctionLowering, op: Operation) -> None:
        at.expression(op, c.BinaryOp(*_spread(at.operands(op), operator)))

    return lower


def _spread(operands: list[SSAValue], operator: str) -> tuple[SSAValue, str, SSAValue]:
    lhs, rhs = operands
    return lhs, operator, rhs


def _extreme(operator: str) -> Spelling:
    def lower(at: FunctionLowering, op: Operation) -> None:
        lhs, rhs = at.operands(op)
        first = at.build.insert(c.CompareOp(lhs, operator, rhs))
        at.expression(op, c.ConditionalOp(first, lhs, rhs))

    return lower


def _compare_integers(at: FunctionLowering, op: arith.CmpiOp) -> None:
    operator = INTEGER_PREDICATES.get(op.predicate.value.data)
    if operator is None:
        raise unsupported(op, "compares unsigned, which has no spelling in C here")
    at.expression(op, c.CompareOp(*_spread(at.operands(op), operator)))


def _compare_floats(at: FunctionLowering, op: arith.CmpfOp) -> None:
    if (predicate := FLOAT_PREDICATES.get(op.predicate.value.data)) is None:
        raise unsupported(op, "has a predicate without a spelling in C")
    operator, negated = predicate
    lowered = c.CompareOp(*_spread(at.operands(op), operator))
    at.expression(op, c.UnaryOp("!", at.build.insert(lowered)) if negated else lowered)


def _select(at: FunctionLowering, op: arith.SelectOp) -> None:
    at.expression(op, c.ConditionalOp(*at.operands(op)))


def _cast(at: FunctionLowering, op: Operation) -> None:
    [operand] = at.operands(op)
    at.expression(op, c.CastOp(operand, op.results[0].type))


def _extend_signed(at: FunctionLowering, op: arith.ExtSIOp) -> None:
    if op.input.type != i1:
        return _cast(at, op)
    # The single bit of a true i1 is its sign.
    wide = at.build.insert(c.CastOp(at.values[op.input], op.result.type))
    at.expression(op, c.UnaryOp("-", wide))


def _extend_unsigned(at: FunctionLowering, op: Operation) -> None:
    [operand] = at.operands(op)
    if operand.type not in (i1, IndexType()):
        operand = at.build.insert(c.CastOp(operand, IntegerType(integer_width(operand.type), Signedness.UNSIGNED)))
    at.expression(op, c.CastOp(operand, op.results[0].type))


def _shift_left(at: FunctionLowering, op: arith.ShLIOp) -> None:
    # C defines left shifts only for nonnegative numbers, so negative ones are shifted as unsigned.
    width = integer_width(op.result.type)
    type = IntegerType(32 if width == 24 else width, Signedness.UNSIGNED)
    raws, places = (at.build.insert(c.CastOp(value, type)) for value in at.operands(op))
    at.expression(op, c.CastOp(at.build.insert(c.BinaryOp(raws, "<<", places)), op.result.type))


def _truncate(at: FunctionLowering, op: arith.TruncIOp) -> None:
    if op.result.type != i1:
        return _cast(at, op)
    value = at.values[op.input]
    low = at.build.insert(c.BinaryOp(value, "&", at.build.literal(1, value.type)))
    at.expression(op, c.CompareOp(low, "!=", at.build.literal(0, value.type)))


ARITHMETIC: SpellingsOfClasses = {
    arith.ConstantOp: _constant,
    arith.AddiOp: _binary("+"),
    arith.SubiOp: _binary("-"),
    arith.MuliOp: _multiply,
    arith.DivSIOp: _binary("/"),
    arith.RemSIOp: _binary("%"),
    arith.ShLIOp: _shift_left,
    arith.ShRSIOp: _binary(">>"),
    arith.AndIOp: _binary("&"),
    arith.OrIOp: _binary("|"),
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
}


def _array(at: FunctionLowering, op: memref.AllocaOp) -> None:
    type = memref_type(op.memref)
    at.values[op.memref] = at.build.insert(c.ArrayOp(type.element_type, prod(type.get_shape())), op.memref.name_hint)


def _same(at: FunctionLowering, op: memref.CastOp) -> None:
    at.values[op.dest] = at.values[op.source]


def _constant_array(at: FunctionLowering, op: scratch.ConstantOp) -> None:
    constant = at.program.constant(op)
    memory = CONST if op.loaded else constant.memory
    at.partition(op.attributes.get(PARTITION), constant.sym_name.data)
    at.expression(op, c.SymbolOp(constant.sym_name.data, memref_type(op.result).element_type, memory))


def _arena(at: FunctionLowering, op: scratch.ArenaOp) -> None:
    at.program.declare_arena(op)
    if at.instance is None:
        at.partition(op.attributes.get(PARTITION), ARENA)


def _view(at: FunctionLowering, op: scratch.ViewOp) -> None:
    at.expression(op, at.program.view(op, at.instance))


def _slice(at: FunctionLowering, op: scratch.SliceOp) -> None:
    pointer, offset = at.operands(op)
    hint = op.result.name_hint or op.source.name_hint
    at.values[op.result] = at.build.address(pointer, offset, hint)


def _position(at: FunctionLowering, op: memref.LoadOp | memref.StoreOp) -> SSAValue:
    return at.build.linear([at.values[index] for index in op.indices], memref_type(op.memref).get_shape())


def _load(at: FunctionLowering, op: memref.LoadOp) -> None:
    if op in at.walking:
        at.expression(op, c.NextOp(at.walking[op]))
    else:
        at.expression(op, c.LoadOp(at.values[op.memref], _position(at, op)))


def _store(at: FunctionLowering, op: memref.StoreOp) -> None:
    at.build.put(c.StoreOp(at.values[op.value], at.values[op.memref], _position(at, op)))


MEMORY: SpellingsOfClasses = {
    memref.AllocaOp: _array,
    memref.CastOp: _same,
    memref.LoadOp: _load,
    memref.StoreOp: _store,
    scratch.ArenaOp: _arena,
    scratch.ConstantOp: _constant_array,
    scratch.SliceOp: _slice,
    scratch.ViewOp: _view,
}

SPELLINGS: Spellings = {
    **{kind.name: spelling for kind, spelling in {**ARITHMETIC, **MEMORY, **CONTROL_FLOW}.items()},
    **{f"scratch.{name}": on_call(f"tinyml.lowering.c.moves:{name}") for name in ("copy_run", "receive", "turn")},
}


@dataclass(frozen=True)
class LowerArithToCPass(ModulePass):
    """Replace the module's content by a `c.program` with the functions `NAME_predict` and `NAME_scores`, and with
    further functions for callers.

    The module contains one public function with a body, `(memref) -> ([index], [memref])`, and declarations of runtime
    functions. If the input is a view of the arena, the function has no parameter and `NAME_input` returns the input's
    address. If the user's function `NAME_row` supplies the input row by row (`received` in the interface), the function
    has no parameter either. With `instances` in the interface, the memory of an instance is the first parameter of
    every function.

    The argument, the results, constants and views may have an attribute `tinyml.format`, a string with the type of a
    number format. It becomes a comment in the C program. Raises `InputError` for any other module, and for operations
    without a lowering to C.
    """

    name = "lower-arith-to-c"
    takes = BITS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = _model(op)
        declare_in_loops(function)
        program = ProgramBuilder(ctx, function)
        arguments = () if program.row_length is not None else function.args
        pointer = c.PointerType(program.input.element_type, CONST)
        types = (pointer if program.pushes is None else IndexType() for _ in arguments)
        names = (argument_name(argument.name_hint) for argument in arguments)
        body = program.signatures.body(dict(zip(names, types, strict=False)))
        FunctionLowering(program, body, SPELLINGS).lower_function(function)
        lowered = program.finish(body, caller_functions(program, body, SPELLINGS))
        lowered.attributes[DESCRIBED] = described_model(program)
        for old in list(op.body.block.ops)[::-1]:
            Rewriter.erase_op(old, safe_erase=False)
        op.body.block.add_op(lowered)
        _remove_dead(lowered)


def _model(module: ModuleOp) -> func.FuncOp:
    models: list[func.FuncOp] = []
    for op in module.ops:
        if op.name == num.LANE_FUNCTION:
            # The kernel that computes it is printed where it is called.
            continue
        if not isinstance(op, func.FuncOp):
            raise unsupported(op)
        if not op.is_declaration:
            models.append(op)
    if len(models) != 1:
        raise InputError(f"expected one function with a body, got {len(models)}")
    return models[0]


def _remove_dead(program: c.ProgramOp) -> None:
    """Remove expressions, variables, loops, constants and the arena if no result or effect depends on them. Constants
    that the caller loads remain.

    Unlike `dce`, this function also removes variables that are read only to update themselves.
    """
    functions = [op for op in program.body.block.ops if isinstance(op, c.FuncOp)]
    for function in functions:
        ops = list(function.walk())
        live = {function, *_live(function, ops)}
        # The body of a dead loop or branch is removed with it.
        for op in ops:
            if _is_dead(op, live):
                Rewriter.erase_op(op, safe_erase=False)
    ops = list(program.walk())
    used = {op.symbol for op in ops if isinstance(op, c.SymbolOp)}
    used |= {op.arena for op in ops if isinstance(op, c.ViewOp)}
    for op in ops:
        if isinstance(op, c.PragmaOp) and op.symbol is not None and op.symbol not in used:
            Rewriter.erase_op(op)
        if isinstance(op.parent_op(), c.LoadedOp) or not isinstance(op, c.ConstantOp | c.ArenaOp | c.BufferOp):
            continue
        if SymbolRefAttr(op.sym_name) not in used:
            Rewriter.erase_op(op)


def _is_dead(op: Operation, live: set[Operation]) -> bool:
    return op not in live and op.parent_op() in live and not isinstance(op, c.PragmaOp)


def _live(function: c.FuncOp, ops: Sequence[Operation]) -> set[Operation]:
    assigned: dict[SSAValue, list[Operation]] = defaultdict(list)
    for op in ops:
        if isinstance(op, c.AssignOp):
            assigned[op.variable].append(op)
    live: set[Operation] = set()
    pending: list[Operation] = [op for op in ops if isinstance(op, c.StoreOp | c.InvokeOp | c.ReturnOp)]
    while pending:
        op = pending.pop()
        if op in live or op is function:
            continue
        live.add(op)
        pending += [operand.owner for operand in op.operands if isinstance(operand.owner, Operation)]
        if (parent := op.parent_op()) is not None:
            pending.append(parent)
        if isinstance(op, c.VariableOp):
            pending += assigned[op.result]
        elif isinstance(op, c.WhileOp):
            pending += [condition_op for condition_op in op.test.block.ops if isinstance(condition_op, c.ConditionOp)]
    return live
