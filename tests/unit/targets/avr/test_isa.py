"""AVR instructions as records: their text, the registers that they read and write, and the operands that they
reject.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tinyml.dialects.formats.number_format import INTEGER, TABLE
from tinyml.dialects.num import ListedKernelAttr
from tinyml.dialects.num.kernels.kernel_attributes import FarKernelAttr
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.toolchain import call_tool
from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import bytes_of, statement
from tinyml.targets.avr.composer.compose import compose, compose_far
from tinyml.targets.avr.composer.regime import products
from tinyml.targets.avr.kernels import KERNELS, far_kernel
from tinyml.targets.composer.instructions import Instruction, printed
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import known_kernel


def test_records_are_printed_with_what_they_read_and_write():
    added, fetched, moved = a.add("r24", "r0"), a.elpm("r18", "Z+"), a.movw("r30", "r12")
    stored, product, gone = a.std(a.at("Y", 63), "r9"), a.muls("r18", "r19"), a.brne(back=1)
    lines = (added, fetched, moved, stored, product, a.label(1), gone, a.subi("r26", a.lo8(-9)), a.call("tm_function"))
    assert printed(lines) == (
        *("add r24,r0", "elpm r18,Z+", "movw r30,r12", "std Y+63,r9", "muls r18,r19", "1:", "brne 1b"),
        *("subi r26,lo8(-9)", "call tm_function"),
    )
    assert (added.reads, added.writes) == (("r24", "r0"), ("r24",))
    assert (fetched.reads, fetched.writes, fetched.time) == (("r30", "r31"), ("r18", "r30", "r31"), 3)
    assert (moved.reads, moved.writes) == (("r12", "r13"), ("r30", "r31"))
    assert (stored.reads, stored.writes) == (("r28", "r29", "r9"), ())
    assert (product.reads, product.writes, product.time) == (("r18", "r19"), ("r0", "r1"), 2)
    assert (a.call("tm_function").callee, a.call(ahead=4).callee) == ("tm_function", "")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (lambda: a.add("r24"), "add r24: add has other operands"),
        (lambda: a.ldi("r15", 1), "ldi does not take r15"),
        (lambda: a.add("r24", 1), "add does not take 1"),
        (lambda: a.adiw("r22", 1), "adiw does not take r22"),
        (lambda: a.movw("r23", "r0"), "movw does not take r23"),
        (lambda: a.fmulsu("r24", "r16"), "fmulsu does not take r24"),
        (lambda: a.ldd("r24", a.at("Z", 64)), r"ldd does not take Z\+64"),
        (lambda: a.ldd("r24", a.at("X", 1)), r"ldd does not take X\+1"),
        (lambda: a.lpm("r24", "r30"), "lpm does not take r30"),
        (lambda: a.brne(), "brne: brne has other operands"),
        (lambda: a.brne(back=1, ahead=2), "brne 1b,2f: brne has other operands"),
        (lambda: a.add("r24", "r0", back=1), "add r24,r0,1b: add has no label"),
    ],
)
def test_operands_are_checked_when_an_instruction_is_made(line: Callable[[], Instruction], message: str):
    with pytest.raises(ValueError, match=message):
        line()


def test_calls_and_jumps_are_relative_on_parts_without_others():
    assert statement((a.call("f"), a.jmp(ahead=1), a.call(ahead=1), a.UPPER(), a.label(1))) == (
        '    __asm__ volatile("%~call %x[f]\\n\\t%~jmp 1f\\n\\t%~call 1f\\n\\t" TM_UPPER "1:\\t" : : [f] "i"(f));'
    )
    assert statement((a.dec("%0"),), ' : "+r"(n)') == '    __asm__ volatile("dec %0\\n\\t" : "+r"(n));'


OTHERS = (
    *(a.label(1), a.asr("r9"), a.cpse("r2", "r3"), a.eor("r2", "r3"), a.or_("r2", "r3"), a.swap("r2"), a.tst("r2")),
    *(a.andi("r16", 3), a.adiw("r24", 63), a.sbiw("r30", 1), a.sbrc("r2", 7), a.in_("r30", a.STACK_POINTER[0])),
    *(a.lpm("r24", "Z"), a.elpm("r24", "Z+"), a.ldd("r24", a.at("Y", 63)), a.ld("r2", "-X"), a.st("X+", "r3")),
    *(a.std(a.at("Z", 1), "r3"), a.push("r2"), a.pop("r2"), a.mulsu("r16", "r23"), a.fmulsu("r17", "r18")),
    *(a.brge(back=1), a.brlt(back=1), a.brcc(back=1), a.breq(back=1), a.brmi(back=1), a.rcall(back=1), a.inc("r0")),
    *(a.jmp(back=1), a.call(back=1), a.call("somewhere"), a.cpi("r16", 255), a.ret(), *a.constants([1, 2, 3])),
)
"""Instructions besides those of a kernel that multiplies numbers with a regime."""


def test_the_table_agrees_with_the_assembler(tmp_path: Path):
    """The assembler encodes the text of each record as an instruction with the record's mnemonic and size."""
    runner, source, object = runner_for("mega"), tmp_path / "kernels.s", tmp_path / "kernels.o"
    lines = (*products(), *OTHERS)
    source.write_text("\n".join([*printed(lines), ""]))
    call_tool(runner.chip, "gcc", [*runner.board.flags, "-c", source, "-o", object])
    listing = call_tool(runner.chip, "objdump", ["-d", "-z", object])
    theirs = [line.split("\t") for line in listing.splitlines() if line.startswith(" ") and ":\t" in line]
    sizes = [len(bytes.split()) for _, bytes, *_ in theirs]
    ours = [line for line in lines if isinstance(line, Instruction)]
    assert sum(sizes) == bytes_of(lines)
    assert sizes[: len(ours) - 1] == [line.size for line in ours[:-1]]
    # The disassembler knows four of them by other names.
    named = {"lsl": "add", "rol": "adc", "clr": "eor", "tst": "and"}
    assert [name for _, _, name, *_ in theirs[: len(ours) - 1]] == [
        named.get(line.name, line.name) for line in ours[:-1]
    ]


def test_a_far_kernel_is_the_near_one_with_other_loads():
    near = [kernel for kernel in KERNELS if kernel.flash and kernel.op != "num.axpy" and kernel.weights != kernel.sum]
    packed = [compose(Kernel("", width, 8, 32, op=op)) for width in (3, 9) for op in ("num.dot", "num.sparse_dot")]
    for kernel in (*near, *filter(None, packed)):
        far = far_kernel(kernel)
        if kernel.symbol == "tm_dot_r16_s16_s64":
            assert far is None
            continue
        assert kernel.composed is not None
        assert far is not None
        assert far.composed is not None
        first, second = (each.composed.text.partition("}")[0] for each in (kernel, far) if each.composed is not None)
        assert "lpm " in first
        assert second == first.replace(f"{kernel.symbol}_", f"{far.symbol}_").replace("lpm ", "elpm ")
        assert f"{far.symbol}(tm_far far, " in far.composed.signature
        assert far.composed.costs[""] > kernel.composed.costs[""]
        assert (far.step, far.code, far.needs) == (kernel.step, kernel.code, kernel.needs)


def test_kernels_that_move_z_or_read_ram_have_no_far_form():
    assert compose_far(Kernel("", 4, 8, 32, flash=False)) is None
    assert compose_far(Kernel("", 4, 8, 32, codings=(TABLE, INTEGER))) is None
    for symbol in ("tm_axpy_s8_s8_s32", "tm_dot_s8_s8_s32_ram"):
        assert known_kernel(FarKernelAttr.of(ListedKernelAttr.of(symbol)), "mega") is None
