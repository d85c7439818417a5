"""Programs in which all constants or all buffers are packed compute the evaluator's bits on every device."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.devices import TURNS, with_llvm
from programs.network_writer import NetworkWriter
from programs.on_boards import write_program
from programs.sliced_networks import check_bits_on_device
from programs.spread import spread

from tinyml.dialects.context import context
from tinyml.dialects.formats.lookup import format_named
from tinyml.lowering import pipelines
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import CTarget
from tinyml.targets.registry import DEFAULT_TARGET, HOST
from tinyml.tools.calibration.programs import micro_programs
from tinyml.tools.calibration.programs.micro_programs import MicroProgram
from tinyml.tools.driver.stages import load_program
from tinyml.transforms.buffers.unpack_buffers import UnpackBuffersPass

FORMATS = (
    *((8, weights) for weights in ("fixed:3", "fixed:6", "fixed:11", "minifloat:6")),
    *((16, weights) for weights in ("fixed:4", "fixed:5", "fixed:7", "fixed:9", "fixed:12", "posit:6", "minifloat:4")),
)
"""Widths, and formats of constants."""
PROGRAMS = {
    "protonn": micro_programs.protonn(micro_programs.Random(1), 13, 10, 10, 3, 0.5),
    "bonsai": micro_programs.bonsai(micro_programs.Random(2), 11, 6, 1, 4, 1),
    "protonn of many classes": micro_programs.protonn(micro_programs.Random(4), 13, 10, 8, 20, 1),
    "sparse": micro_programs.bonsai(micro_programs.Random(4), 60, 6, 1, 4, 0.3),
    "fastgrnn": micro_programs.fastgrnn(micro_programs.Random(3), 3, 5, 35, 4, (3, 4)),
}


BUFFERS = (
    *(("protonn", format) for format in ("fixed:6", "fixed:9", "posit:12")),
    *(("bonsai", format) for format in ("fixed:5", "fixed:12", "minifloat:6")),
    *(("fastgrnn", format) for format in ("fixed:4", "fixed:10", "fixed:7", "fixed:11")),
)
"""Programs and the formats of all that they hold."""


@pytest.mark.long
@pytest.mark.parametrize(("width", "weights"), spread(FORMATS, 4))
def test_all_constants_packed(width: int, weights: str, tmp_path: Path):
    """A program computes the evaluator's bits if all its constants are packed, in every format of weights. Programs and
    devices alternate.
    """
    options = {"width": width, "weights": weights, "packed": "always"}
    turn = FORMATS.index((width, weights))
    check(PROGRAMS[("protonn", "bonsai")[turn % 2]], options, [TURNS[turn % len(TURNS)]], tmp_path, "#scratch.packed<")


@pytest.mark.long
@pytest.mark.parametrize(("width", "weights"), spread(FORMATS[::2], 3))
def test_all_constants_of_a_recurrent_network_packed(width: int, weights: str, tmp_path: Path):
    options = {"width": width, "weights": weights, "packed": "always"}
    devices = [TURNS[(FORMATS.index((width, weights)) // 2 + 2) % len(TURNS)]]
    check(PROGRAMS["fastgrnn"], options, devices, tmp_path, "#scratch.packed<")


@pytest.mark.long
@pytest.mark.parametrize(("name", "format"), spread(BUFFERS, 3))
def test_all_buffers_packed(name: str, format: str, tmp_path: Path):
    family, _, width = format.partition(":")
    options = {"format": family, "width": int(width), "packed": "never", "pack_buffers": True}
    # Three turns of devices, of which each program has all.
    devices = TURNS[:-1][BUFFERS.index((name, format)) % 3 :: 3]
    check(PROGRAMS[name], options, devices, tmp_path, "#scratch.packed_ram<")


@pytest.mark.long
@pytest.mark.parametrize(("width", "weights"), spread([(10, 9), (12, 5)], 1))
def test_weights_and_vectors_in_groups_of_other_lengths(width: int, weights: int, tmp_path: Path):
    options = {"width": width, "weights": f"fixed:{weights}", "packed": "always", "pack_buffers": True}
    check(PROGRAMS["protonn"], options, TURNS[width == 12 : -1 : 2], tmp_path, f"#scratch.packed<{weights}>")


@pytest.mark.long
def test_elements_are_unpacked_into_the_arena(tmp_path: Path):
    """A program computes the evaluator's bits if elements of its input are unpacked into bytes that the scores
    overwrite later.
    """
    options = {"format": "fixed", "width": 9, "packed": "never", "pack_buffers": True}
    check(PROGRAMS["protonn of many classes"], options, TURNS[:2], tmp_path, "%unpacked_1 = scratch.view")


@pytest.mark.long
@pytest.mark.parametrize(("bits", "inputs"), spread([(5, 13), (6, 37), (7, 77)], 2))
def test_rows_of_few_bits_in_halfwords(bits: int, inputs: int, tmp_path: Path):
    """On a Cortex-M4, packed products of seven rows compute the evaluator's bits: four rows at once, and the others one
    by one. The columns do not fill the last block.
    """
    program = micro_programs.dense(micro_programs.Random(5), inputs, 7, 3, "relu")
    options = {"width": 8, "weights": f"fixed:{bits}", "packed": "always"}
    check(program, options, [("cortex-m4", "cortex-m4")], tmp_path, f"tm_cm_dot4_p{bits}_s8_s32")
    [source] = (tmp_path / "cortex-m4").glob("*.c")
    assert f"tm_c_dot_s{bits}_s8_s32(&" in source.read_text()


@pytest.mark.long
@pytest.mark.parametrize(
    ("weights", "width", "rows", "inputs"),
    spread(
        [
            *((weights, 8, 7, inputs) for weights in ("midrise:1", "fixed:2", "fixed:4") for inputs in (29, 37)),
            *((weights, 16, 18, 21) for weights in ("midrise:1", "fixed:3")),
        ],
        3,
    ),
)
def test_rows_of_paired_weights(weights: str, width: int, rows: int, inputs: int, tmp_path: Path):
    """On a Cortex-M4, products of weights of 1 to 4 bits and vectors of 8 and 16 bits compute the evaluator's bits. The
    rows are not a multiple of four, and the columns not of a word.
    """
    program = micro_programs.dense(micro_programs.Random(5), inputs, rows, 3, "relu")
    options = {"width": width, "weights": weights, "packed": "always"}
    check(program, options, [("cortex-m4", "cortex-m4")], tmp_path, ", pairs>")


@pytest.mark.long
@pytest.mark.parametrize(("rows", "inputs"), spread([(4, 300), (7, 37), (16, 16), (18, 29)], 2))
def test_rows_of_signs(rows: int, inputs: int, tmp_path: Path):
    """On an Uno, products with signs compute the evaluator's bits. The rows are not always a multiple of four, and the
    columns not of eight; 300 columns are two parts.
    """
    program = micro_programs.dense(micro_programs.Random(5), inputs, rows, 3, "relu")
    options = {"width": 8, "weights": "midrise:1", "packed": "always"}
    check(program, options, [("uno", "uno")], tmp_path, "#scratch.packed<1, odd>")
    [source] = (tmp_path / "uno").glob("*.c")
    assert "tm_add_odd1_s8_s" in source.read_text()


@pytest.mark.long
@pytest.mark.parametrize(
    ("weights", "digits"), spread([("fixed:2", "2, trits"), *((f"midrise:{n}", f"{n}, odd") for n in range(1, 5))], 2)
)
def test_digits_by_llvm(weights: str, digits: str, tmp_path: Path):
    """LLVM's code computes the evaluator's bits for packed digits whose last group in each row is incomplete."""
    program = micro_programs.dense(micro_programs.Random(5), 37, 7, 3, "relu")
    options = {"width": 8, "weights": weights, "packed": "always"}
    check(program, options, [(HOST, HOST)], tmp_path, f"#scratch.packed<{digits}>", every=1)


@pytest.mark.long
@pytest.mark.parametrize("packed", ["never", "always"])
def test_distances_from_weights_of_another_scale(packed: str, tmp_path: Path):
    """A distance from weights in a format of another scale computes the evaluator's bits. Kernels of distances, which
    subtract raws, are therefore not used.
    """
    check(PROGRAMS["protonn"], {"width": 8, "weights": "midrise:2", "packed": packed}, TURNS[:1], tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("width", spread([4, 12], 1))
def test_sparse_rows_and_their_vector_packed(width: int, tmp_path: Path):
    options = {"width": width, "packed": "always", "pack_buffers": True}
    # The host runs what is printed for the usual target each time, and chips take turns.
    check(PROGRAMS["sparse"], options, [TURNS[0], *TURNS[1 + (width == 12) :: 2]], tmp_path, "#scratch.packed_ram<")
    [source] = (tmp_path / DEFAULT_TARGET).glob("*.c")
    assert f"tm_dot_near_s{width}_s{width}_s32(&program_Z_rows" in source.read_text()


RANDOM = st.builds(micro_programs.Random, st.integers(0, 999))
SIZES = {"inputs": st.integers(1, 70), "classes": st.integers(2, 9)}
DRAWN = st.one_of(
    st.builds(
        micro_programs.dense, RANDOM, **SIZES, hidden=st.integers(1, 20), function=st.sampled_from(("tanh", "relu"))
    ),
    st.builds(
        micro_programs.protonn,
        RANDOM,
        **SIZES,
        d=st.integers(1, 12),
        prototypes=st.integers(2, 9),
        dense=st.sampled_from((0.3, 1.0)),
    ),
    st.builds(
        micro_programs.convolutions,
        RANDOM,
        size=st.integers(5, 9),
        channels=st.integers(1, 4),
        rows=st.integers(1, 8),
        kernel=st.sampled_from((1, 3, 5)),
        classes=st.integers(2, 5),
    ),
)


@pytest.mark.long
@settings(max_examples=3)
@given(DRAWN, st.integers(4, 16), st.integers(3, 16), st.booleans())
def test_any_shapes_and_widths(
    tmp_path_factory: pytest.TempPathFactory, program: MicroProgram, width: int, weights: int, buffers: bool
):
    options = {"width": width, "weights": f"fixed:{weights}", "packed": "always", "pack_buffers": buffers}
    check(program, options, TURNS[buffers::2], tmp_path_factory.mktemp("drawn"))


def check(
    drawn: MicroProgram,
    options: dict[str, Any],
    devices: Sequence[tuple[str, str]],
    folder: Path,
    packed: str = "",
    every: int = 3,
) -> None:
    """Compile and run a program for some devices, and assert that its bits are the evaluator's.

    options: the options of the pipelines.
    devices: pairs of a target and a device.
    packed: text that the program at L3 must contain.
    every: in one of `every` cases, LLVM also compiles the program.
    """
    ctx = context()
    program = drawn.write(folder / "program", 1)
    module = load_program(program, ctx)
    data = program.with_name("val.npz")
    options = {"data": str(data), **options}
    pipelines.run(module, ctx, pipelines.flatten("reals-to-formats", {**options, "target": DEFAULT_TARGET}))
    interface, inputs = interface_of(module), encode_inputs(module, np.load(data)["x"][:3])
    expected = evaluate(module, inputs).scores
    for target in dict(devices):
        lowered = module.clone()
        for names in (("formats-to-buffers", "buffers-to-loops"), ("loops-to-bits", "bits-to-c")):
            passes = [step for name in names for step in pipelines.flatten(name, {**options, "target": target})]
            pipelines.run(lowered, ctx, [step for step in passes if not isinstance(step, UnpackBuffersPass)])
            assert "bits-to-c" in names or packed in str(lowered)
        built = folder / target
        built.mkdir()
        for file, suffix in (("source", "c"), ("header", "h")):
            text = io.StringIO()
            CTarget(target, file).emit(ctx, lowered, text)
            (built / f"{interface.name}.{suffix}").write_text(text.getvalue())
    for device in with_llvm(f"{drawn.text}{options}", every):
        buffers = module.clone()
        passes = pipelines.flatten("formats-to-buffers", options)
        pipelines.run(buffers, ctx, [step for step in passes if not isinstance(step, UnpackBuffersPass)])
        write_program(buffers, device, folder / device, options)
        devices = [*devices, (device, device)]
    for target, device in dict.fromkeys(devices):
        runner, built = runner_for(device), folder / target
        found = runner.run(runner.build(built, interface, folder / f"build-{device}", "-Os"), interface, inputs).scores
        np.testing.assert_array_equal(found, expected, err_msg=f"{device}, {target}")


@pytest.mark.long
def test_more_elements_than_16_bits_count_are_packed(tmp_path: Path):
    """A convolution computes the evaluator's bits if its image consists of 66,048 packed elements of 10 bits, more than
    2^16.
    """
    net = NetworkWriter((1, 129, 128, 4), 1, format_named(context(), "fixed", 10).for_range(-2, 2))
    module = net.module(net.pool(net.convolution(net.convolution(net.input, 4), 1, 2), 8))
    pipelines.run(module, context(), pipelines.flatten("refine-formats", {}))
    buffers = module.clone()
    pipelines.run(buffers, context(), pipelines.flatten("formats-to-buffers", {"pack_buffers": True}))
    assert "memref<1x129x128x4x!fixed.q<10, 8>, #scratch.packed_ram<10>>" in str(buffers)
    x = np.random.default_rng(1).integers(-511, 512, (1, 129 * 128 * 4)).astype(np.int16)
    check_bits_on_device(module, buffers, x, HOST, tmp_path)
