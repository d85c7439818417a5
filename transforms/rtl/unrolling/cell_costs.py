"""The FPGA cells of the ops of a program, estimated before synthesis.

Each op counts as the cells into which synthesis converts it. An adder needs one cell for each bit of its result's
interval. A selection needs one look-up table of four inputs for each bit. A product needs a multiplier, or rows of
gates and adders. Where synthesis has a choice (adders or compressors, block RAM or tables), the rule of yosys 0.23 on
an ECP5 applies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num, rtl
from tinyml.targets.verilog.fabric import Fabric
from tinyml.transforms.rtl.scheduling.operators import Operators, factor, small_digits, type_width
from tinyml.transforms.rtl.scheduling.regions import LOGIC, is_pure
from tinyml.transforms.rtl.unrolling.block_rams import loaded_part, memory_cells, stored_part

CONTROL = 10
"""The LUTs of a loop for the signals of its cycles, in addition to its counter and its carried values."""

ENABLE = 3
"""The LUTs of an access for the signal of the cycle in which it happens."""

COMPRESSOR = 2
"""The LUTs for each bit of each further term where synthesis makes a compressor tree of sums, which all have the same
width.
"""


def cells_of(ops: Iterable[Operation], operators: Operators, fabric: Fabric) -> tuple[int, int]:
    """The numbers of LUTs and DSPs that ops need, including ops inside loops.

    A memory has one read port. If several loops perform the same computation on words of the same memories, they
    use one circuit, which counts once.
    """
    luts = dsps = 0
    circuits = Circuits()
    for top in ops:
        for op in top.walk():
            if circuits.add(op):
                luts, dsps = luts + _luts(op, operators, fabric), dsps + _multipliers(op, operators)
    return luts, dsps


class Circuits:
    """A numbering of circuits. Ops with equal numbers use one circuit.

    of: the numbers of the results of all ops that were passed to `add`. An op must be passed after the ops that
    compute its operands.
    """

    def __init__(self):
        self.numbers: dict[tuple[Any, ...], int] = {}
        self.of: dict[SSAValue, int] = {}

    def add(self, op: Operation) -> bool:
        """Number the circuit of an op. Return whether no op that was passed before has the same circuit.

        Two ops have the same circuit if they load words of the same memory, or compute the same function of equal
        operands.
        """
        if is_pure(op):
            operands = (self.of.get(operand, operand) for operand in op.operands)
            circuit = op.name, *op.properties.values(), *op.attributes, *op.result_types, *operands
        else:
            circuit = rtl.circuit(op)
        count = len(self.numbers)
        number = self.numbers.setdefault(circuit, count)
        self.of |= dict.fromkeys(op.results, number)
        return number == count


def _luts(op: Operation, operators: Operators, fabric: Fabric) -> int:
    width = max(map(operators.width, op.results), default=0)
    widest = max(map(operators.width, op.operands), default=0)
    match op:
        case scf.ForOp():
            return _control(op.body.block.args, op.iter_args, operators)
        case num.ReduceOp():
            return _control(op.body.block.args, op.starts, operators)
        case num.NestOp():
            return sum(_control([axis], (), operators) for axis in op.body.block.args)
        case rtl.MemoryOp():
            return memory_cells(fabric, op.result.type, op.content)[0]
        case rtl.LoadOp():
            word = cast("rtl.MemoryType", op.memory.type).width.data
            return ENABLE + _port(op, rtl.LoadOp, 0) + loaded_part(word, width)
        case rtl.StoreOp():
            word, element = cast("rtl.MemoryType", op.memory.type).width.data, type_width(op.value)
            return ENABLE + _port(op, rtl.StoreOp, element) + stored_part(word, element)
        case arith.AddiOp() | arith.SubiOp():
            if _is_compressed(op, operators):
                return COMPRESSOR * width
            return _adder(max(width - _zeros(op), 0))
        case arith.MuliOp():
            return _product(op, operators, width)
        case arith.CmpiOp():
            return _adder(widest) if op.predicate.value.data > 1 else -(-widest // 3)
        case arith.SelectOp() | arith.XOrIOp():
            return width
        case arith.AndIOp() | arith.OrIOp():
            return 0 if any(_places(operand) for operand in op.operands) else width
        case arith.MinSIOp() | arith.MaxSIOp() | arith.MinUIOp() | arith.MaxUIOp():
            return _adder(widest) + width
        case arith.ShLIOp() | arith.ShRSIOp() | arith.ShRUIOp() if const_evaluate_operand(op.operands[1]) is None:
            return width * (width - 1).bit_length()
        case arith.DivSIOp() | arith.DivUIOp() | arith.RemSIOp() | arith.RemUIOp():
            return 2 * widest * widest
        case _:
            return 0


def _control(arguments: Sequence[SSAValue], inits: Sequence[SSAValue], operators: Operators) -> int:
    """The number of LUTs that control a loop.

    arguments: the index of the loop and the carried values.
    inits: the initial carried values.
    """
    counter, *carried = arguments
    chosen = [arg for arg, init in zip(carried, inits, strict=True) if const_evaluate_operand(init) is None]
    return CONTROL + 2 * _adder(operators.width(counter) + 1) + sum(map(operators.width, chosen))


def _multipliers(op: Operation, operators: Operators) -> int:
    """The number of DSPs of an op, one for each partial product of 18 by 18 bits."""
    if not isinstance(op, arith.MuliOp) or LOGIC in op.attributes or small_digits(op) is not None:
        return 0
    return -(-operators.factor_width(op.lhs) // 18) * -(-operators.factor_width(op.rhs) // 18)


def spare_multipliers(ops: Iterable[Operation], operators: Operators, fabric: Fabric) -> None:
    """Mark the products that need the fewest LUTs with `rtl.logic`, until the others need no more multipliers than the
    FPGA has.
    """
    circuits, products = Circuits(), dict[int, list[arith.MuliOp]]()
    for op in (op for top in ops for op in top.walk()):
        circuits.add(op)
        if isinstance(op, arith.MuliOp) and _multipliers(op, operators):
            products.setdefault(circuits.of[op.result], []).append(op)
    taken = sum(_multipliers(op, operators) for op, *_ in products.values())
    for alike in sorted(products.values(), key=lambda alike: product_in_logic(alike[0], operators)):
        if taken <= fabric.there.dsps:
            return
        taken -= _multipliers(alike[0], operators)
        for op in alike:
            op.attributes[LOGIC] = UnitAttr()


def _product(op: arith.MuliOp, operators: Operators, width: int) -> int:
    if (digits := small_digits(op)) is not None:
        # Each further term has an adder above the low bits that are zero in all terms.
        zeros = min((exponent for _, exponent in digits), default=0)
        return max(len(digits) - 1, 0) * _adder(max(width - zeros, 0))
    if LOGIC in op.attributes:
        return product_in_logic(op, operators)
    return (_multipliers(op, operators) - 1) * _adder(width)


def product_in_logic(op: arith.MuliOp, operators: Operators) -> int:
    """The number of LUTs of a product without a multiplier: a row of gates and an adder for each bit of the shorter
    factor.

    A square needs about half of the gates, because the partial products are symmetric.
    """
    short, long = sorted(map(operators.factor_width, op.operands))
    gates = short * (short + 1) // 2 if factor(op.lhs) is factor(op.rhs) else short * long
    return gates + short * (long + 1)


def _adder(width: int) -> int:
    """The number of LUTs of an adder or a comparison. A cell of a carry chain processes two bits."""
    return width + width % 2


def _zeros(op: Operation) -> int:
    """The number of low bits in which a sum equals one of its terms, because the other term is a constant whose low
    bits are zero.
    """
    constants = [value for value in map(const_evaluate_operand, op.operands) if value]
    return max(((value & -value).bit_length() - 1 for value in constants), default=0)


def _is_compressed(op: Operation, operators: Operators) -> bool:
    """Whether an op is a sum with a term that is itself a sum. This term must have the same width and no other
    readers.
    """
    return any(
        isinstance(term.owner, arith.AddiOp | arith.SubiOp)
        and term.uses.get_length() == 1
        and operators.width(term) == operators.width(op.results[0])
        for term in op.operands
    )


def _places(operand: SSAValue) -> bool:
    owner = operand.owner
    return const_evaluate_operand(operand) is not None or (
        isinstance(owner, arith.ShLIOp) and const_evaluate_operand(owner.rhs) is not None
    )


def _port(op: rtl.LoadOp | rtl.StoreOp, kind: type[Operation], data: int) -> int:
    """The number of LUTs that select the address and the data for a port that several accesses use. 0 for a single
    access.

    kind: the class of accesses, loads or stores.
    data: the number of bits of the data.
    """
    if sum(isinstance(use.operation, kind) for use in op.memory.uses) < 2:
        return 0
    depth = cast("rtl.MemoryType", op.memory.type).depth.data
    return -(-2 * ((depth - 1).bit_length() + data) // 3)
