"""Printed C, compiled without a warning and run, compared with an interpreter of the L4 program from which it is
printed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from interpreters import loops as loop_interpreter
from numpy.typing import NDArray
from programs import bits, kernel_models
from programs.devices import BOARDS, SMALL, roomy
from programs.kernel_batches import check_batch
from programs.kernel_tables import chosen_kernels
from programs.printed import WARNINGS, check_text, parse, write
from programs.spread import spread, spread_product

from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import Runner, runner_for
from tinyml.runtime.devices.toolchain import MODEL_FLAGS, call_tool
from tinyml.runtime.model.interface import Interface
from tinyml.targets.c.composer.compose import PLAIN
from tinyml.targets.registry import DEFAULT_TARGET, HOST, board, chip_of

STRICT = [*MODEL_FLAGS[:3], *WARNINGS, "-O2", "-c"]

PROGRAMS = {
    "matvec": (bits.MATVEC, Interface("matvec", "int16_t", 4, "int16_t", 3, True)),
    "sparse": (bits.SPARSE, Interface("sparse", "int16_t", 300, "int32_t", 3, False)),
    "mixed": (bits.MIXED, Interface("mixed", "float", 6, "int8_t", 6, True)),
    "swap": (bits.SWAP, Interface("swap", "int8_t", 2, None, 0, True)),
}
CHAOS = Interface("chaos", "int16_t", 8, "int16_t", 8, True)


def compile_strictly(folder: Path, target: str) -> None:
    [source] = folder.glob("*.c")
    chip, part = chip_of(target), board(target)
    call_tool(chip, "cc", [*STRICT, *chip.flags, *part.flags, source, "-o", folder / "strict.o"])


def inputs_for(interface: Interface, samples: int) -> NDArray[np.generic]:
    random = np.random.default_rng(interface.input_length)
    dtype = interface.input_dtype
    shape = (samples, interface.input_length)
    if dtype.kind == "f":
        return random.normal(0, 300, shape).astype(dtype)
    info = np.iinfo(dtype)
    inputs = random.integers(info.min, info.max + 1, shape).astype(dtype)
    inputs[0], inputs[1] = info.min, info.max
    return inputs


def check(text: str, interface: Interface, runner: Runner, folder: Path, samples: int) -> None:
    inputs = inputs_for(interface, samples)
    module = parse(text)[1]
    expected = [loop_interpreter.run(module, one) for one in inputs]
    result = runner.run(runner.build(folder, interface, folder / "build"), interface, inputs)
    if interface.has_label:
        assert result.labels is not None
        np.testing.assert_array_equal(result.labels, [one[0] for one in expected])
    if interface.output_length:
        assert result.scores is not None
        np.testing.assert_array_equal(result.scores, np.stack([one[-1] for one in expected]))


@pytest.mark.long
@pytest.mark.parametrize("target", [HOST, DEFAULT_TARGET])
def test_c_is_printed_from_text(target: str):
    texts = [*(text for text, _ in PROGRAMS.values()), *map(bits.random_program, range(2))]
    for text in texts:
        check_text(text, target)


@pytest.mark.long
@pytest.mark.parametrize(("target", "name"), spread_product(12, [HOST, *SMALL], PROGRAMS))
def test_compiles_without_a_warning(name: str, target: str, tmp_path: Path):
    folder = write(PROGRAMS[name][0], target, tmp_path / "source")
    compile_strictly(folder, target)
    # One source for all devices.
    compile_strictly(folder, HOST)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_header_is_valid_on_its_own_and_in_cpp(name: str, tmp_path: Path):
    folder = write(PROGRAMS[name][0], HOST, tmp_path / "source")
    for language in ("c", "c++"):
        user = folder / f"user.{language}"
        user.write_text(f'#include "{name}.h"\n#include "{name}.h"\n')
        call_tool(
            chip_of(HOST), "cc", ["-x", language, "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", user]
        )


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_runs_as_the_interpreter_says_without_undefined_behaviour(name: str, tmp_path: Path):
    text, interface = PROGRAMS[name]
    check(text, interface, HostRunner(sanitize=True), write(text, HOST, tmp_path / "source"), samples=20)


@pytest.mark.long
@pytest.mark.parametrize(("device", "name"), spread_product(9, [HOST, *SMALL], PROGRAMS))
def test_one_source_gives_the_same_on_every_device(name: str, device: str, tmp_path: Path):
    text, interface = PROGRAMS[name]
    check(text, interface, runner_for(device), write(text, DEFAULT_TARGET, tmp_path / "source"), samples=6)


@pytest.mark.long
@pytest.mark.parametrize("seed", spread(range(8), 5))
def test_random_programs(seed: int, tmp_path: Path):
    """The C of random programs with loads, stores, branches and loop-carried values in any order computes the
    interpreter's results. Inlining expressions into each other must not change them.
    """
    text = bits.random_program(seed)
    folder = write(text, HOST, tmp_path / "source")
    compile_strictly(folder, HOST)
    check(text, CHAOS, HostRunner(sanitize=True), folder, samples=8)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_random_programs_on_an_avr(seed: int, tmp_path: Path):
    text = bits.random_program(seed)
    folder = write(text, DEFAULT_TARGET, tmp_path / "source")
    compile_strictly(folder, "uno")
    check(text, CHAOS, runner_for("uno"), folder, samples=4)


@pytest.mark.long
@pytest.mark.parametrize("target", SMALL)
def test_kernels_are_selected_and_exact(target: str, tmp_path: Path, kernel_programs: Path):
    """Each kernel of a target, called by a small program, is exact. The programs run on the boards of the target and in
    plain C on the host, in turn.

    Kernels that fetch elements of packed vectors are in test_packed_programs.py.
    """
    composed = kernel_models.composed(target)
    # What is composed in plain C is the same on all chips, which take turns.
    plain = [kernel for kernel in composed if kernel.symbol.startswith(PLAIN)]
    others = [name for name in SMALL if any(one.symbol.startswith(PLAIN) for one in kernel_models.composed(name))]
    own = plain[others.index(target) :: len(others)] if plain else []
    every = [*chosen_kernels(target), *(kernel for kernel in composed if kernel not in plain), *own]
    kernels = spread(every, len(every) // 5)
    # A board without a feature of the target cannot run its kernels.
    needed = {*board(target).features}
    boards = [one.name for one in chip_of(target).boards if one.name in BOARDS and needed <= {*one.features}]
    # Sanitizers see the same at -O1, for which gcc takes less time.
    runners = (HostRunner(sanitize=True), "-O1"), *((runner_for(roomy(name)), "-O2") for name in boards)
    for turn, (runner, optimize) in enumerate(runners):
        check_batch(kernels[turn :: len(runners)], target, runner, tmp_path / runner.variant, kernel_programs, optimize)
