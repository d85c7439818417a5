"""Networks in several memories on emulated boards: the bits are the evaluator's, and the accesses to each memory are
those that the compiler computes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.paths import TESTS

import tinyml
from tinyml.dialects.context import context
from tinyml.runtime.devices.array_accesses import CountedAccesses, count_accesses
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.toolchain import symbols
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.stages import load_program
from tinyml.tools.reports.placed_memories import accesses_by_memory
from tinyml.transforms.buffers.memories.records import Record

NETWORK = TESTS / "models" / "pytorch" / "cnn-script.onnx"

BOARDS = {
    "cortex-m55": "dtcm=1K,sram=256K:2/2,flash=4M:5/0",
    "portenta-h7": "dtcm=1K,sram=256K:2/2,flash=768K:5/0",
    "esp32-c3": "near=512:0/0,far=64K:7/7,flash=1M:9/0",
}
"""The boards, each with two memories that both take a part of the network."""

SECOND = {"cortex-m55": ("dtcm", range(0x20010000, 0x20080000)), "portenta-h7": ("dtcm", range(0x30000000, 0x31000000))}
"""Where the harness has a memory of its own for a name."""


@dataclass(frozen=True)
class Compiled:
    board: str
    folder: Path

    def module(self, level: str) -> Any:
        return load_program(self.folder / "ir" / level, context())


@pytest.fixture(scope="module", params=BOARDS)
def compiled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    board = request.param
    folder = tmp_path_factory.mktemp("placed") / board
    model = tinyml.load(NETWORK)
    x = np.random.default_rng(7).normal(size=(40, model.features)).astype("float32")
    tinyml.compile(model, x, format="fixed", width=8, board=board, memory=BOARDS[board]).save(folder)
    return Compiled(board, folder)


def by_memory(accesses: Any, memories: Any) -> dict[str, CountedAccesses]:
    """The counted accesses, added up for each memory. The name of an array ends with `_arena_MEMORY` or `_in_MEMORY`.

    accesses: the counted accesses by the name of the array.
    memories: the names of the memories.
    """
    totals: dict[str, CountedAccesses] = {}
    for array, counted in accesses.items():
        for memory in memories:
            if array.endswith((f"_arena_{memory}", f"_in_{memory}")):
                known = totals.get(memory, CountedAccesses(0, 0, 0, 0))
                totals[memory] = CountedAccesses(*map(sum, zip(known, counted, strict=True)))
    return totals


@pytest.mark.long
@pytest.mark.parametrize("optimize", ["-O0", "-Os"])
def test_bits_and_accesses(compiled: Compiled, optimize: str, tmp_path: Path):
    formats, bits = compiled.module("1-formats.mlir"), compiled.module("4-bits.mlir")
    interface, runner = interface_of(formats), runner_for(compiled.board)
    reals = np.random.default_rng(3).normal(size=(3, interface.input_length))
    inputs = encode_inputs(formats, reals)
    build = runner.build(compiled.folder, interface, tmp_path, optimize)
    if compiled.board in SECOND:
        memory, at = SECOND[compiled.board]
        assert symbols(runner.chip, build.elf)[f"{interface.name}_arena_{memory}"] in at
    counted = count_accesses(runner, build, interface, inputs)
    expected = evaluate(formats, inputs)
    assert counted.result.labels is not None
    assert expected.labels is not None
    np.testing.assert_array_equal(counted.result.labels, expected.labels)
    np.testing.assert_array_equal(counted.result.scores, expected.scores)
    found, stated = by_memory(counted.accesses, names(compiled)), accesses_by_memory(bits)
    assert len(found) == 2
    for memory, each in found.items():
        estimate = stated[memory]
        # Tiles load the numbers of a window once for each pair of rows, which estimates do not count.
        assert not estimate.exact or each.read_bytes == estimate.read_bytes
        assert estimate.read_bytes <= each.read_bytes <= 3 * estimate.read_bytes
        # At -Os, GCC for RISC-V stores the result of a limit twice.
        if optimize == "-O0" or compiled.board != "esp32-c3":
            assert each.written_bytes == estimate.written_bytes
        if compiled.board == "cortex-m55" and estimate.exact:
            assert (each.reads, each.writes) == (estimate.reads, estimate.writes)


def names(compiled: Compiled) -> list[str]:
    return [memory.name for memory in record_of(compiled).memories]


def record_of(compiled: Compiled) -> Record:
    from tinyml.dialects import scratch

    [arena] = [op for op in compiled.module("2-buffers.mlir").walk() if isinstance(op, scratch.ArenaOp)]
    assert arena.memories is not None
    return Record.of(arena.memories)


@pytest.mark.long
def test_the_report_states_the_cost_of_the_final_program(compiled: Compiled):
    record, report = record_of(compiled), json.loads((compiled.folder / "report.json").read_text())
    memories, stated = report["memory"]["memories"], accesses_by_memory(compiled.module("4-bits.mlir"))
    rows = {row["name"]: row for row in memories["rows"]}
    flash = int(BOARDS[compiled.board].partition("flash=")[2].partition(":")[2].partition("/")[0])
    waits = sum(row["read"] * row["loads"] + row["write"] * row["stores"] for row in rows.values())
    waits += flash * (stated["flash"].reads if "flash" in stated else 0)
    assert waits == record.cost == memories["wait_cycles"]
    assert record.proof
    assert record.bound == record.cost
    for memory in record.memories:
        used = rows[memory.name]
        assert used["arena"] + used["constants"] + used["stack"] <= memory.size
    assert "wait for" in (compiled.folder / "report.html").read_text()


@pytest.mark.long
def test_a_program_in_memories_reads_constants_from_flash_once(compiled: Compiled):
    [source] = compiled.folder.glob("*.c")
    text = source.read_text()
    assert text.count("_fills() != 0") == 1
    assert "TM_MEMORY_" in text
