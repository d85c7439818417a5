"""The table of the RV32IM instructions that kernels consist of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RiscvInstruction:
    """An instruction.

    op: the name of its op in xDSL's dialects `riscv`, `riscv_cf` and `rv32`, whose constructor takes the operands in
    the order of the assembly, except that the address of a store precedes the value. bytes: the most that it takes in
    flash; 2 for those that have a compressed encoding for all registers. Its time is 1: RISC-V chips are measured in
    instructions. Each reads its operands, defines a new value and clobbers nothing.
    """

    op: str
    bytes: int = 4


RV32IM = 32
"""The instruction set as `tinyml/cores.h` numbers it."""

REACH = 2047
"""The greatest offset of a load or store, and the greatest immediate of an addition."""

LB, LBU, LH, LW = (RiscvInstruction(f"riscv.{name}") for name in ("lb", "lbu", "lh", "lw"))
SB, SW = RiscvInstruction("riscv.sb"), RiscvInstruction("riscv.sw")
ADD, ADDI, ANDI, XORI = (RiscvInstruction(f"riscv.{name}") for name in ("add", "addi", "andi", "xori"))
ACCUMULATE = RiscvInstruction("riscv.add", bytes=2)
"""An addition whose first operand is not used again, so that the result takes its register."""

MUL, MULHSU, SLTU, SRA = (RiscvInstruction(f"riscv.{name}") for name in ("mul", "mulhsu", "sltu", "sra"))
SLLI, SRLI, SRAI = (RiscvInstruction(f"rv32.{name}") for name in ("slli", "srli", "srai"))
LI, LUI, MV = RiscvInstruction("rv32.li"), RiscvInstruction("riscv.lui"), RiscvInstruction("riscv.mv", bytes=2)
BEQ, BNE, BNEZ, J = (RiscvInstruction(f"riscv_cf.{name}") for name in ("beq", "bne", "bnez", "j"))
RET = RiscvInstruction("riscv.ret")

LOADS = {8: LB, 16: LH, 32: LW}
"""Loads of signed numbers by their width in bits."""
