"""Simulated hardware computes every raw output that interpreters of its source programs compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interpreters import loops as loop_interpreter
from numpy.typing import NDArray
from programs import bits
from programs.hardware import hardware_of, need_circt, need_simulator, verilog_of
from programs.printed import parse
from programs.spread import spread
from xdsl.dialects import func

from tinyml.dialects import rtl
from tinyml.dialects.context import context
from tinyml.dialects.formats.posit import functions as posit_functions
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.lowering.pipelines import flatten, run
from tinyml.runtime.devices.circt import printed_by_circt
from tinyml.runtime.devices.device import RunResult
from tinyml.runtime.devices.verilog_tools import IcarusSimulation
from tinyml.runtime.model.interface import Interface
from tinyml.targets.verilog.fabric import fabric_around
from tinyml.targets.verilog.print_verilog import print_verilog
from tinyml.tools.driver.upstream import circt_text
from tinyml.transforms.loops.expand_nests import ExpandNestsPass
from tinyml.transforms.rtl.spread_entries import SpreadEntriesPass
from tinyml.transforms.rtl.unrolling.block_rams import Words

assert posit_functions

PROGRAMS = {
    "matvec": (bits.MATVEC, Interface("matvec", "int16_t", 4, "int16_t", 3, True)),
    "sparse": (bits.SPARSE, Interface("sparse", "int16_t", 300, "int32_t", 3, False)),
    "swap": (bits.SWAP, Interface("swap", "int8_t", 2, None, 0, True)),
}
CHAOS = Interface("chaos", "int16_t", 8, "int16_t", 8, True)


def inputs_for(interface: Interface, samples: int) -> NDArray[np.signedinteger[Any]]:
    random = np.random.default_rng(interface.input_length)
    info = np.iinfo(interface.input_dtype)
    inputs = random.integers(info.min, info.max + 1, (samples, interface.input_length)).astype(interface.input_dtype)
    inputs[0] = info.min
    return inputs


def simulated(text: str, interface: Interface, inputs: NDArray[Any], folder: Path, seed: int = 0) -> RunResult:
    need_simulator("iverilog")
    return IcarusSimulation(verilog_of(parse(text)[1]), folder).run(interface, inputs, seed)


def check(text: str, interface: Interface, folder: Path, samples: int, seed: int = 0) -> None:
    inputs = inputs_for(interface, samples)
    result = simulated(text, interface, inputs, folder, seed)
    expected = [loop_interpreter.run(parse(text)[1], one) for one in inputs]
    if interface.has_label:
        assert result.labels is not None
        np.testing.assert_array_equal(result.labels, [one[0] for one in expected])
    if interface.output_length:
        assert result.scores is not None
        np.testing.assert_array_equal(result.scores, np.stack([one[-1] for one in expected]).reshape(samples, -1))


@pytest.mark.long
@pytest.mark.parametrize("elements", [2, 7])
def test_elements_of_a_sparse_product(elements: int, tmp_path: Path):
    """A hardware module of a sparse product computes the interpreter's outputs. A row takes one iteration for every
    `elements` entries, and at least one.

    elements: the number of processing elements.
    """
    need_simulator("iverilog")
    random = np.random.default_rng(elements)
    matrix = random.integers(-(1 << 14), 1 << 14, (6, 37)).astype(np.int16)
    matrix[random.random(matrix.shape) < random.random((6, 1))] = 0
    matrix[random.integers(6)] = 0
    module, interface = (
        parse(bits.sparse_product(matrix))[1],
        Interface("sparse", "int16_t", 37, "int32_t", 6, False),
    )
    inputs = inputs_for(interface, 4)
    result = IcarusSimulation(verilog_of(module, elements=elements), tmp_path).run(interface, inputs)
    assert result.scores is not None
    expected = [loop_interpreter.run(module, one)[-1] for one in inputs]
    np.testing.assert_array_equal(result.scores, np.stack(expected).reshape(4, -1))
    iterations = sum(max(1, -(-int(entries) // elements)) for entries in np.count_nonzero(matrix, axis=1))
    assert result.cycles is not None
    assert result.cycles[0] <= 37 + iterations + 6 + 16


@pytest.mark.long
def test_elements_within_block_rams():
    """With the greatest number of processing elements, the copies of the vector, one for each processing element, and
    the words of entries and columns fit the block RAMs, and use almost all of them.
    """
    random = np.random.default_rng(3)
    matrix = random.integers(1, 1 << 14, (40, 300)).astype(np.int16)
    matrix[random.random(matrix.shape) < 0.6] = 0
    module = parse(bits.sparse_product(matrix))[1]
    steps = flatten("bits-to-lanes", {})
    at = [step.name for step in steps].index(SpreadEntriesPass.name)
    run(module, context(), [*steps[:at], SpreadEntriesPass(cells=100)])
    [function] = (op for op in module.ops if isinstance(op, func.FuncOp))
    fabric = fabric_around(function)
    vectors = [op for op in function.walk() if isinstance(op, rtl.MemoryOp) and op.result.type.depth.data == 300]
    assert len(vectors) > 20
    assert fabric.there.brams - 6 < Words(function, fabric).cells[1] <= fabric.there.brams


@pytest.mark.long
@pytest.mark.parametrize(("columns", "factor"), [(3, 4), (5, 8), (11, 4), (13, 8)])
def test_lengths_that_no_power_of_two_divides(columns: int, factor: int, tmp_path: Path):
    """In a hardware module that processes `factor` elements of a row at once, a row takes ceil(columns / factor)
    iterations. If its length is not a multiple of `factor`, the elements beyond the end are ignored.
    """
    need_simulator("iverilog")
    random = np.random.default_rng(columns)
    module = parse(bits.distances(random.integers(-(1 << 13), 1 << 13, (4, columns)).astype(np.int16)))[1]
    interface = Interface("distances", "int16_t", columns, "int32_t", 4, False)
    inputs = inputs_for(interface, 4)
    result = IcarusSimulation(verilog_of(module, factor), tmp_path).run(interface, inputs)
    ExpandNestsPass().apply(context(), module)
    assert result.scores is not None
    expected = [loop_interpreter.run(module, one)[-1] for one in inputs]
    np.testing.assert_array_equal(result.scores, np.stack(expected).reshape(4, -1))
    assert result.cycles is not None
    assert result.cycles[0] <= columns + 4 * -(-columns // factor) + 4 + 12


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, tmp_path: Path):
    check(*PROGRAMS[name], tmp_path, samples=8)


@pytest.mark.long
@pytest.mark.parametrize("program", spread([*PROGRAMS, *range(6)], 3))
def test_circt_prints_the_same_circuit(program: str | int, tmp_path: Path):
    """Verilog printed by CIRCT has the outputs and the numbers of cycles of tinyml's Verilog. For random programs with
    odd seeds, the sender of inputs and the receiver of outputs pause.
    """
    need_circt()
    text, interface = PROGRAMS[program] if isinstance(program, str) else (bits.random_program(program), CHAOS)
    hardware, inputs = hardware_of(parse(text)[1]), inputs_for(interface, 4)
    verilog, seed = print_verilog(hardware), program % 2 if isinstance(program, int) else 0
    theirs = printed_by_circt(circt_text(hardware))
    expected, found = (IcarusSimulation(verilog, tmp_path, by).run(interface, inputs, seed) for by in ("", theirs))
    for ours, circts in zip(astuple(expected), astuple(found), strict=True):
        np.testing.assert_array_equal(circts, ours)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed: int, tmp_path: Path):
    """Programs with loops, branches and buffers that share bytes compute the interpreter's outputs. For odd seeds, the
    sender of inputs and the receiver of outputs pause.
    """
    check(bits.random_program(seed), CHAOS, tmp_path, samples=4, seed=seed % 2)


def test_while(tmp_path: Path):
    """A hardware module with a `while` loop halves a number until it is at most 100. It returns the right label, which
    is the number of halvings, and the number that remains.
    """
    text = """
func.func @halve(%X: memref<1xi16>) -> (index, memref<1xi16>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %shift = arith.constant 1 : i16
  %small = arith.constant 100 : i16
  %arena = scratch.arena {alignment = 2 : i64} : memref<2xi8>
  %y = scratch.view %arena[0 : i64] : memref<2xi8> to memref<1xi16>
  %x = memref.load %X[%zero] : memref<1xi16>
  %last, %count = scf.while (%v = %x, %n = %zero) : (i16, index) -> (i16, index) {
    %go = arith.cmpi sgt, %v, %small : i16
    scf.condition(%go) %v, %n : i16, index
  } do {
  ^bb0(%v: i16, %n: index):
    %half = arith.shrsi %v, %shift : i16
    %next = arith.addi %n, %one : index
    scf.yield %half, %next : i16, index
  }
  memref.store %last, %y[%zero] : memref<1xi16>
  func.return %count, %y : index, memref<1xi16>
}
"""
    inputs = np.array([[-5], [100], [101], [32767]], np.int16)
    result = simulated(text, Interface("halve", "int16_t", 1, "int16_t", 1, True), inputs, tmp_path)
    assert result.labels is not None
    assert result.labels.tolist() == [0, 0, 1, 9]
    assert result.scores is not None
    assert result.scores.ravel().tolist() == [-5, 100, 50, 63]


def products_in_logic(widths: Sequence[tuple[int, int]]) -> str:
    """The text of a function that multiplies two numbers without a multiplier. It truncates them to each pair of widths
    and returns all products.
    """
    lines = [
        f"""
  %a{i} = arith.trunci %x : i16 to i{a}
  %b{i} = arith.trunci %y : i16 to i{b}
  %u{i} = arith.extsi %a{i} : i{a} to i32
  %v{i} = arith.extsi %b{i} : i{b} to i32
  %p{i} = arith.muli %u{i}, %v{i} {{rtl.logic}} : i32
  %at{i} = arith.constant {i} : index
  memref.store %p{i}, %z[%at{i}] : memref<{len(widths)}xi32>"""
        for i, (a, b) in enumerate(widths)
    ]
    return f"""
func.func @products(%X: memref<2xi16>) -> memref<{len(widths)}xi32> {{
  %first = arith.constant 0 : index
  %second = arith.constant 1 : index
  %arena = scratch.arena {{alignment = 4 : i64}} : memref<{4 * len(widths)}xi8>
  %z = scratch.view %arena[0 : i64] : memref<{4 * len(widths)}xi8> to memref<{len(widths)}xi32>
  %x = memref.load %X[%first] : memref<2xi16>
  %y = memref.load %X[%second] : memref<2xi16>{"".join(lines)}
  func.return %z : memref<{len(widths)}xi32>
}}
"""


@pytest.mark.long
def test_products_in_logic(tmp_path: Path):
    """Products in logic are exact for factors of one or more bits, also for extreme values. They are sums of partial
    products, whose low bits bypass the adders where they do not overlap.
    """
    widths = [(1, 1), (1, 5), (2, 2), (3, 2), (3, 7), (4, 4), (5, 12), (7, 7), (9, 15), (14, 3), (13, 13), (15, 15)]
    limits = [0, -1, 1, *(sign * (1 << bits) - below for bits in range(1, 15) for sign, below in ((1, 1), (-1, 0)))]
    random = np.random.default_rng(0).integers(-(1 << 15), 1 << 15, (40, 2))
    inputs = np.array([*random, *((a, b) for a in limits for b in limits[:9]), (-(1 << 14), -(1 << 14))], np.int16)
    interface = Interface("products", "int16_t", 2, "int32_t", len(widths), False)
    result = simulated(products_in_logic(widths), interface, inputs, tmp_path)
    assert result.scores is not None

    def cut(numbers: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
        half = 1 << bits - 1
        return (numbers + half) % (2 * half) - half

    x, y = inputs.astype(np.int64).T
    expected = np.stack([cut(x, a) * cut(y, b) for a, b in widths], 1)
    np.testing.assert_array_equal(result.scores.reshape(expected.shape), expected)


def test_quotients_of_negative_indices(tmp_path: Path):
    """Maps round quotients of negative indices down or, for `ceildiv`, up, and their remainders are not negative."""
    text = """
func.func @divide(%X: memref<8xi16>) -> memref<32xi16> {
  %low = arith.constant -4 : index
  %one = arith.constant 1 : index
  %high = arith.constant 4 : index
  %arena = scratch.arena {alignment = 2 : i64} : memref<64xi8>
  %y = scratch.view %arena[0 : i64] : memref<64xi8> to memref<32xi16>
  scf.for %p = %low to %high step %one {
    %i = affine.apply affine_map<(d0) -> (d0 + 4)> (%p)
    %x = memref.load %X[%i] : memref<8xi16>
    %n = arith.index_cast %x : i16 to index
    %down = affine.apply affine_map<(d0) -> (d0 floordiv 3)> (%p)
    %rest = affine.apply affine_map<()[s0, s1] -> ((s0 - s1) mod 3)> ()[%down, %i]
    %up = affine.apply affine_map<(d0)[s0] -> ((s0 - d0) ceildiv 1000)> (%p)[%n]
    %tail = affine.apply affine_map<(d0) -> (d0 mod 1000)> (%n)
    %a = arith.index_cast %down : index to i16
    %b = arith.index_cast %rest : index to i16
    %c = arith.index_cast %up : index to i16
    %d = arith.index_cast %tail : index to i16
    %at0 = affine.apply affine_map<(d0) -> (d0 * 4)> (%i)
    %at1 = affine.apply affine_map<(d0) -> (d0 * 4 + 1)> (%i)
    %at2 = affine.apply affine_map<(d0) -> (d0 * 4 + 2)> (%i)
    %at3 = affine.apply affine_map<(d0) -> (d0 * 4 + 3)> (%i)
    memref.store %a, %y[%at0] : memref<32xi16>
    memref.store %b, %y[%at1] : memref<32xi16>
    memref.store %c, %y[%at2] : memref<32xi16>
    memref.store %d, %y[%at3] : memref<32xi16>
  }
  func.return %y : memref<32xi16>
}
"""
    interface = Interface("divide", "int16_t", 8, "int16_t", 32, False)
    inputs = inputs_for(interface, 10)
    result = simulated(text, interface, inputs, tmp_path)
    assert result.scores is not None
    p, n = np.arange(-4, 4), inputs.astype(np.int64)
    down = np.broadcast_to(p // 3, n.shape)
    expected = np.stack([down, (down - (p + 4)) % 3, -((p - n) // 1000), n % 1000], -1)
    np.testing.assert_array_equal(result.scores.reshape(expected.shape), expected)


def test_a_quotient_needs_one_more_bit(tmp_path: Path):
    """The quotient of -4 and -1 does not fit into the three bits of an index from -4 to 3."""
    text = """
func.func @negate(%X: memref<8xi16>) -> memref<8xi16> {
  %low = arith.constant -4 : index
  %one = arith.constant 1 : index
  %high = arith.constant 4 : index
  %minus = arith.constant -1 : index
  %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
  %y = scratch.view %arena[0 : i64] : memref<16xi8> to memref<8xi16>
  scf.for %p = %low to %high step %one {
    %at = arith.addi %p, %high : index
    %quotient = arith.divsi %p, %minus : index
    %value = arith.index_cast %quotient : index to i16
    memref.store %value, %y[%at] : memref<8xi16>
  }
  func.return %y : memref<8xi16>
}
"""
    interface = Interface("negate", "int16_t", 8, "int16_t", 8, False)
    result = simulated(text, interface, inputs_for(interface, 1), tmp_path)
    assert result.scores is not None
    np.testing.assert_array_equal(result.scores[0], -np.arange(-4, 4))


def test_local_arrays(tmp_path: Path):
    """A hardware module with a separate memory for counts returns the right counts for each sample, although the memory
    contains those of the previous sample at the start.
    """
    text = """
func.func @count(%X: memref<8xi16>) -> memref<4xi16> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %eight = arith.constant 8 : index
  %none = arith.constant 0 : i16
  %unit = arith.constant 1 : i16
  %mask = arith.constant 3 : i16
  %arena = scratch.arena {alignment = 2 : i64} : memref<8xi8>
  %y = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4xi16>
  %counts = memref.alloca() : memref<4xi16>
  scf.for %k = %zero to %four step %one {
    memref.store %none, %counts[%k] : memref<4xi16>
  }
  scf.for %i = %zero to %eight step %one {
    %x = memref.load %X[%i] : memref<8xi16>
    %low = arith.andi %x, %mask : i16
    %at = arith.index_cast %low : i16 to index
    %before = memref.load %counts[%at] : memref<4xi16>
    %after = arith.addi %before, %unit : i16
    memref.store %after, %counts[%at] : memref<4xi16>
  }
  scf.for %k = %zero to %four step %one {
    %count = memref.load %counts[%k] : memref<4xi16>
    memref.store %count, %y[%k] : memref<4xi16>
  }
  func.return %y : memref<4xi16>
}
"""
    interface = Interface("count", "int16_t", 8, "int16_t", 4, False)
    inputs = inputs_for(interface, 4)
    result = simulated(text, interface, inputs, tmp_path)
    assert result.scores is not None
    np.testing.assert_array_equal(result.scores, [np.bincount(row & 3, minlength=4) for row in inputs])


FUNCTIONS = {
    "tm_limit_i16_i8": [(16, 3, 8), (16, 0, 7)],
    "tm_limit_i24_i8": [(24, 9, 8)],
    "tm_limit_i32_i16": [(32, 14, 16), (32, 5, 12)],
    "tm_multiply_i16": [(16, 16, 9), (16, 16, 16)],
    "tm_add_i16": [(16, 16, 0, 1, 16), (16, 16, 4, 4, 14)],
    "tm_posit_parts_s16": [(16, 16, 1, 0, 40), (9, 9, 3, 2, 60), (12, 12, 0, 1, 10), (5, 5, 2, 2, 40)],
    **{
        name: [(8, 8, 8, 2), (8, 8, 8, 0), (16, 16, 16, 1), (5, 5, 5, 3), (32, 32, 32, 2), (32, 32, 32, 0)]
        for name in ("tm_posit_add", "tm_posit_sub", "tm_posit_mul")
    },
    "tm_posit_upper_s16": [(16,)],
    "tm_posit_upper_s64": [(32,)],
    "tm_posit_lower_word": [(32, 32)],
    "tm_posit_upper_word": [(32, 32)],
    "tm_posit_of_s32": [
        (32, 40, 8, 2, -32768, 127),
        (32, 9, 16, 1, -32768, 32767),
        (32, 0, 2, 0, -32768, 1),
        (32, -3, 32, 3, -32768, (1 << 31) - 1),
        (32, 20, 8, 0, -6, 95),
        (32, 26, 8, 2, -15, 63),
        (32, 20, 16, 1, -20, 20479),
        (32, 50, 10, 3, -12, 319),
    ],
    "tm_posit_linear_s32": [(32, 0, 8, 127), (32, 9, 8, 95), (32, 17, 12, 1983), (32, 45, 6, 31)],
    "tm_posit_to_odd_s32": [
        (32, left, low, high)
        for left in (3, 31, 32, 200, 0, -5, -31, -32, -200)
        for low, high in ((-512, 511), (0, 1023), (-(1 << 31), (1 << 31) - 1))
    ],
    "tm_posit_to_s32": [(10, 8, 10, 0), (9, 14, 9, 1), (5, 12, 5, 2), (16, 14, 16, 0)],
    "tm_requantize_s32": [(32, 1518500250, -7), (32, 1717986918, 2), (32, 1073741824, 0)],
    "tm_requantize_even_s32": [(32, 1518500250, -7), (32, 1717986918, 2), (32, 1073741824, 0), (32, 1073741824, -20)],
    "tm_requantize_s64": [(32, 20000, -3)],
    "tm_saturate_s32": [(32, 8), (32, 1)],
    "tm_saturate_u32": [(32, 8), (32, 16)],
    **{name: [(32,)] for name in ("tm_root_multiplier_s32", "tm_root_shift_s32", "tm_inverse_root_s32")},
    "tm_inverse_root_s64": [(32,)],
    **{name: [(32,)] for name in ("tm_reciprocal_s32", "tm_leading_zeros_s32")},
}
"""Operands of calls: the widths of those that vary come first, then constants."""

POSITIVE = "tm_reciprocal_s32", "tm_leading_zeros_s32", "tm_inverse_root_s64"
"""Functions of positive integers; those of 64 bits receive squares."""


@pytest.mark.long
@pytest.mark.parametrize(("name", "operands"), [(name, case) for name, cases in FUNCTIONS.items() for case in cases])
def test_integer_programs(name: str, operands: tuple[int, ...], tmp_path: Path):
    """Runtime functions in integer ops equal their references for random and extreme arguments of all magnitudes."""
    function = RUNTIME_FUNCTIONS[name]
    two = "tm_multiply_i16", "tm_add_i16", "tm_posit_add", "tm_posit_sub", "tm_posit_mul"
    varying = 2 if name in two or name.endswith("_word") else 1
    lines: list[str] = []
    types = [str(type) for type in function.arguments]
    for i, (given, type) in enumerate(zip(operands, types, strict=True)):
        if i >= varying:
            lines.append(f"%a{i} = arith.constant {given} : {type}")
            continue
        lines += [f"%i{i} = arith.constant {i} : index", f"%v{i} = memref.load %X[%i{i}] : memref<{varying}xi32>"]
        if type == "i32":
            lines.append(f"%zero{i} = arith.constant 0 : i32\n%a{i} = arith.addi %v{i}, %zero{i} : i32")
        else:
            lines.append(f"%w{i} = arith.{'extsi' if type == 'i64' else 'trunci'} %v{i} : i32 to {type}")
            power = f"arith.muli %w{i}, %w{i}" if name in POSITIVE else f"arith.addi %w{i}, %z{i}"
            lines.append(f"%z{i} = arith.constant 0 : {type}\n%a{i} = {power} : {type}")
    arguments = ", ".join(f"%a{i}" for i in range(len(types)))
    text = "\n".join(
        [
            f"func.func @call(%X: memref<{varying}xi32>) -> memref<1x{function.result}> {{",
            "%zero = arith.constant 0 : index",
            "%arena = scratch.arena {alignment = 4 : i64} : memref<4xi8>",
            f"%y = scratch.view %arena[0 : i64] : memref<4xi8> to memref<1x{function.result}>",
            *lines,
            f"%r = func.call @{name}({arguments}) : ({', '.join(types)}) -> {function.result}",
            f"memref.store %r, %y[%zero] : memref<1x{function.result}>",
            f"func.return %y : memref<1x{function.result}>\n}}",
            f"func.func private @{name}({', '.join(types)}) -> {function.result}",
        ]
    )
    random = np.random.default_rng(len(name) + operands[-1])
    width = operands[0]
    most = (1 << width - 1) - 1
    if name == "tm_multiply_i16":
        most = 23000  # The product and its rounding fit.
    values = random.integers(-most - 1, most + 1, (100, varying)) >> random.integers(0, width, (100, varying))
    values[:3] = [[-most - (name != "tm_multiply_i16")] * varying, [most] * varying, [0] * varying]
    if name in POSITIVE:
        values = np.maximum(np.abs(values), 1).clip(None, most)
    dtypes = [np.dtype(f"i{max(int(type[1:]) // 8, 1)}") if type != "i24" else np.dtype("i4") for type in types]
    given = [values[:, i].astype(dtypes[i]) for i in range(varying)]
    given = [x * x if x.dtype == np.int64 and name in POSITIVE else x for x in given]
    constants = [dtypes[i].type(operands[i]) for i in range(varying, len(types))]
    expected = function.reference(*given, *constants)
    interface = Interface("call", "int32_t", varying, f"int{str(function.result)[1:]}_t", 1, False)
    result = simulated(text, interface, values.astype(np.int32), tmp_path)
    assert result.scores is not None
    np.testing.assert_array_equal(result.scores.ravel(), expected)


@pytest.mark.long
def test_a_logarithm_reads_its_table(tmp_path: Path):
    """`tm_log_s32` in integer ops equals its reference for positive integers of all magnitudes."""
    table = np.round(np.log1p(np.arange(65) / 64) * 2**15).astype(np.int16)
    text = f"""
func.func @call(%X: memref<1xi32>) -> memref<1xi32> {{
  %zero = arith.constant 0 : index
  %arena = scratch.arena {{alignment = 4 : i64}} : memref<4xi8>
  %y = scratch.view %arena[0 : i64] : memref<4xi8> to memref<1xi32>
  %t = scratch.constant dense<{table.tolist()}> : tensor<65xi16> -> memref<65xi16, #scratch.flash>
  %any = "memref.cast"(%t) : (memref<65xi16, #scratch.flash>) -> memref<?xi16>
  %x = memref.load %X[%zero] : memref<1xi32>
  %r = func.call @tm_log_s32(%any, %x) : (memref<?xi16>, i32) -> i32
  memref.store %r, %y[%zero] : memref<1xi32>
  func.return %y : memref<1xi32>
}}
func.func private @tm_log_s32(memref<?xi16>, i32) -> i32
"""
    x = np.random.default_rng(1).integers(1, 1 << 31, (60, 1)) >> np.arange(60)[:, None] % 31
    x = np.maximum(x, 1).astype(np.int32)
    result = simulated(text, Interface("call", "int32_t", 1, "int32_t", 1, False), x, tmp_path)
    assert result.scores is not None
    np.testing.assert_array_equal(result.scores, RUNTIME_FUNCTIONS["tm_log_s32"].reference(table, x))
