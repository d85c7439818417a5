"""Counts of the accesses of an emulated program to its arrays."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple, cast

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.devices.device import Build, RunResult
from tinyml.runtime.devices.emulator import Core, EmulatorRunner
from tinyml.runtime.devices.qemu import QemuRunner
from tinyml.runtime.devices.runner import Runner
from tinyml.runtime.devices.toolchain import compiled_tool, symbol_table
from tinyml.runtime.model.interface import Interface

MAX_ARRAYS = 256


class CountedAccesses(NamedTuple):
    """The numbers of loads and stores of an array in one inference, and the numbers of bytes that they transfer."""

    reads: int
    writes: int
    read_bytes: int
    written_bytes: int


class Counted(NamedTuple):
    """The number of accesses to each array, by its name in C, and the results of the last run."""

    accesses: Mapping[str, CountedAccesses]
    result: RunResult


def count_accesses(runner: Runner, build: Build, interface: Interface, inputs: np.ndarray) -> Counted:
    """Run a program on an emulator and count its accesses to each static array of the model in one inference.

    The count is the difference of two runs with different numbers of inferences, so that accesses of the initialisation
    are not counted.

    inputs: as for `Runner.run`, at least two.

    Raises `InputError` for a runner without an emulator, for fewer than two inputs, for more than `MAX_ARRAYS` arrays,
    and if the number of accesses depends on the input.
    """
    arrays = {
        symbol.name: range(symbol.address, symbol.address + symbol.size)
        for symbol in symbol_table(runner.chip, build.elf)
        if symbol.name.startswith(f"{interface.name}_") and symbol.size and symbol.kind not in "tT"
    }
    if len(inputs) < 2 or len(arrays) > MAX_ARRAYS:
        raise InputError(f"expected at least 2 inputs and at most {MAX_ARRAYS} arrays")
    first, _ = _totals(runner, build, interface, inputs[:1], arrays)
    every, result = _totals(runner, build, interface, inputs, arrays)
    later = every - first
    if np.any(later % (len(inputs) - 1)):
        raise InputError(f"{interface.name}: the number of accesses depends on the input")
    rows = (later // (len(inputs) - 1)).tolist()
    return Counted({name: CountedAccesses(*row) for name, row in zip(arrays, rows, strict=True)}, result)


def _totals(
    runner: Runner, build: Build, interface: Interface, inputs: np.ndarray, arrays: Mapping[str, range]
) -> tuple[np.ndarray, RunResult]:
    """Count the accesses to each array in a run. Return the counts and the results of the run.

    The counts have the shape (arrays, 4): the numbers of loads and stores, then the numbers of loaded and stored bytes.

    Raises `InputError` for a runner without an emulator.
    """
    if isinstance(runner, QemuRunner):
        return _totals_in_qemu(runner, build, interface, inputs, arrays)
    if not isinstance(runner, EmulatorRunner):
        raise InputError(f"accesses are counted on emulators, {runner.name} runs on none")
    counts = np.zeros((len(arrays), 4), np.int64)

    def core(self: EmulatorRunner, unicorn: Any) -> Core:
        made = runner.core(unicorn)

        def on_access(_: object, kind: int, _address: int, size: int, _value: int, row: int) -> None:
            store = kind == unicorn.UC_MEM_WRITE
            counts[row, int(store)] += 1
            counts[row, 2 + store] += size

        for row, at in enumerate(arrays.values()):
            kinds = unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE
            made.emulator.hook_add(kinds, on_access, row, at.start, at.stop - 1)
        return made

    result = _derived(runner, core=core).run(build, interface, inputs)
    return counts, result


def _totals_in_qemu(
    runner: QemuRunner, build: Build, interface: Interface, inputs: np.ndarray, arrays: Mapping[str, range]
) -> tuple[np.ndarray, RunResult]:
    with tempfile.TemporaryDirectory() as name:
        ranges, counts = Path(name, "ranges.bin"), Path(name, "counts.bin")
        ranges.write_bytes(np.array([(at.start, at.stop) for at in arrays.values()], np.uint32).tobytes())
        plugin = compiled_tool(Path(__file__).with_name("qemu_accesses.c"), "-shared", "-fPIC")
        options = f"{plugin},ranges={ranges},counts={counts}"
        result = _derived(runner, emulator=(*runner.emulator, "-plugin", options)).run(build, interface, inputs)
        return np.fromfile(counts, np.uint64).astype(np.int64).reshape(len(arrays), 4), result


def _derived(runner: Runner, **members: Any) -> Runner:
    kind = type(runner)
    derived = cast(type[Runner], type(kind.__name__, (kind,), members))
    return derived(**{field.name: getattr(runner, field.name) for field in fields(runner)})
