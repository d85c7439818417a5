"""The assembly text of a kernel.

xDSL prints the instructions, except for addresses of loads and stores (`lb a6, 4(t0)`), immediates of `lui`, which are
unsigned, and the direction of branches to numeric labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tinyml.targets.composer.lines import Lines

if TYPE_CHECKING:
    from xdsl.ir import Block, Operation, Region


def assembly(region: Region) -> Lines:
    """The instructions and labels of a region whose values have registers."""
    numbers = {block: number for number, block in enumerate(region.blocks)}
    return tuple(line for block in region.blocks for op in block.ops for line in _lines(op, block, numbers))


def _lines(op: Operation, block: Block, numbers: dict[Block, int]) -> Iterator[str]:
    from xdsl.dialects import riscv_cf
    from xdsl.dialects.riscv import ops as riscv
    from xdsl.dialects.riscv.abstract_ops import RISCVAsmOperation, assembly_arg_str

    match op:
        case riscv.LbOp() | riscv.LbuOp() | riscv.LhOp() | riscv.LwOp():
            register, pointer, offset = map(assembly_arg_str, op.assembly_line_args())
            yield f"{op.assembly_instruction_name()} {register}, {offset}({pointer})"
        case riscv.SbOp() | riscv.SwOp():
            pointer, register, offset = map(assembly_arg_str, op.assembly_line_args())
            yield f"{op.assembly_instruction_name()} {register}, {offset}({pointer})"
        case riscv.LuiOp():
            register, upper = map(assembly_arg_str, op.assembly_line_args())
            yield f"lui {register}, {int(upper) & 0xFFFFF}"
        case riscv_cf.ConditionalBranchOperation() | riscv_cf.BnezOp() | riscv_cf.JOp():
            *operands, label = map(assembly_arg_str, op.assembly_line_args())
            direction = "b" if numbers[op.successors[0]] <= numbers[block] else "f"
            yield f"{op.assembly_instruction_name()} {', '.join([*operands, label + direction])}"
        case RISCVAsmOperation() if (line := op.assembly_line()) is not None:
            yield line.strip()
        case _:
            pass
