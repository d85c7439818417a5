"""Boards by their product names: programs are linked for the board's memories, run on its core, and rejected if too
large.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from programs.paths import ROOT
from programs.spread import spread

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.registry import Interface, runner_for
from tinyml.runtime.devices.toolchain import build_model, is_overflow
from tinyml.targets.registry import board, boards, chip_of
from tinyml.tools.driver.compile_model import build_folder, compile_model
from tinyml.tools.driver.compile_program import board_that_fits
from tinyml.tools.driver.program_in_folder import program_in
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest

MODEL = ROOT / "tests/models/small-network"
SAMPLES = 2

WITH_CLOCK = [board.name for board in boards() if board.clock is not None and board.fabric is None]
"""All but the bare cores, the host and FPGAs."""

NAMED = [name for name in WITH_CLOCK if chip_of(name).runner]

ONLY_WRITTEN = [name for name in WITH_CLOCK if name not in NAMED]
"""Boards with a core that programs are only written for."""

ALIKE: dict[str, list[str]] = defaultdict(list)
"""Boards for which the same C is printed, by their first."""
for _name in NAMED:
    _first = next(
        (
            name
            for name in ALIKE
            if (chip_of(name), board(name).costs, board(name).features)
            == (chip_of(_name), board(_name).costs, board(_name).features)
        ),
        _name,
    )
    ALIKE[_first].append(_name)


@pytest.mark.long
@pytest.mark.parametrize("first", spread(ALIKE, 3))
def test_a_network_runs_on_every_board(first: str, tmp_path: Path):
    """A network is compiled once for all boards with equal cores. On a selection of these boards it fits the memories,
    computes the evaluator's bits, and has the time that follows from the clock.
    """
    request = Request(model=MODEL / "small_network.sd", val=MODEL / "val.npz", target=first, width=8, out=tmp_path)
    report = build_folder(request, board(first), tmp_path, must_fit=True).report.as_json()
    program = program_in(tmp_path)
    results = {first: report} | {
        name: run_model(RunRequest(folder=tmp_path, data=MODEL / "val.npz", device=name, limit=SAMPLES), program)
        for name in spread(ALIKE[first][1:], 2)
    }
    for name, result in results.items():
        assert result["mismatch"] is None
        assert result["flash_bytes"] <= (board(name).flash or 0)
        assert result["ram_bytes"]["total"] <= (board(name).ram or 0)
        assert result["time_source"] == board(name).time_source
        least = result[f"{board(name).unit}_per_inference"] / board(name).issues
        counted = result["core_cycles_per_inference"] or least
        time = result["milliseconds_per_inference"]
        assert time == pytest.approx(counted / (board(name).clock or 0) * 1e3, abs=1e-3)
        assert time > 0


def texts_of(folder: Path) -> dict[str, str]:
    """The C files of a program, without the comment that names the chip."""
    return {file.name: file.read_text().partition("*/")[2] for file in sorted(folder.glob("*.[ch]"))}


@pytest.mark.long
def test_boards_that_are_not_run_have_the_c_of_one_that_is(tmp_path: Path):
    """The C for an ESP32, which cannot run here, differs from that for an ESP8266 only in the line that checks that the
    compiler is for the named chip. The report contains no measured flash, and the error of the runner names the
    reason.
    """
    texts: dict[str, dict[str, str]] = {}
    assert ONLY_WRITTEN == ["esp32", "esp32-s2", "esp32-s3"]
    for name in ("esp8266", *ONLY_WRITTEN[:1]):
        out = tmp_path / name
        request = Request(model=MODEL / "small_network.sd", val=MODEL / "val.npz", target=name, width=8, out=out)
        report = compile_model(request)
        texts[name] = {file: re.sub("generated for .*:", "", text) for file, text in texts_of(out).items()}
        assert (report["flash_bytes"] is None) == (name != "esp8266")
    assert len(texts["esp8266"]) == 2
    assert texts["esp32"] == texts["esp8266"]
    with pytest.raises(
        InputError, match="esp32 cannot run here: Debian has no compiler for its core; the C is that of"
    ):
        runner_for("esp32")


def test_at_least_eight_boards_run():
    assert len(NAMED) >= 8
    assert sorted(name for alike in ALIKE.values() for name in alike) == sorted(NAMED)


SMALL = Interface("small", "int16_t", 2, None, 0, has_label=True)
SOURCE = """#include "small.h"
static volatile int8_t a[RAM];
/* Apart from code, whose constants some instruction sets have before it and within reach. */
__attribute__((noinline)) static void space(void) { __asm__ volatile(".space FLASH"); }
int16_t small_predict(const int16_t *X) { space(); return a[X[0]]; }
"""
HEADER = """#include <stdint.h>
#define small_INPUT_LENGTH 2
#define small_OUTPUT_LENGTH 0
int16_t small_predict(const int16_t *X);
"""


def is_linked(name: str, flash: int, ram: int, folder: Path) -> bool:
    """Whether a program with at least `flash` bytes of code and `ram` bytes of data is linked for the board `name`."""
    runner = runner_for(name)
    (folder / "small.c").write_text(SOURCE.replace("RAM", str(ram)).replace("FLASH", str(flash)))
    (folder / "small.h").write_text(HEADER)
    flags = ["-Os", *runner.flags, *runner.chip.memory_flags(runner.board)]
    try:
        build_model(runner.chip, folder, SMALL, folder / "small.elf", flags)
    except InputError as error:
        if not is_overflow(error):
            raise
        return False
    return True


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("turn", [0, 1])
def test_the_linker_knows_the_memories(turn: int, tmp_path: Path):
    """For each board, the linker accepts a program that leaves 1,200 bytes of flash and 64 bytes of RAM, and rejects a
    program as large as the flash (half of the boards) or the RAM (the others).
    """
    for number, name in enumerate(NAMED):
        flash, ram = board(name).flash or 0, board(name).ram or 0
        if turn == number % 2:
            assert is_linked(name, flash - 1200, ram - 64, tmp_path), name
            more = (flash, 8) if number % 4 < 2 else (8, ram)
            assert not is_linked(name, *more, tmp_path), name


def only_the_board(*given: Any) -> list[str]:
    """A substitute for the function that collects suggestions for a program that is too large. It returns only the
    suggestion of another board.
    """
    _, _, _, board, needs = given
    return [board_that_fits(board, needs.flash, needs.ram)]


@pytest.mark.long
def test_what_does_not_fit_is_told_the_memories_of_the_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The error message for a program that does not fit states the memories of the board, and names a board that is
    large enough.
    """
    monkeypatch.setattr("tinyml.tools.driver.compile_model.remedies", only_the_board)
    request = Request(
        model=MODEL / "small_network.sd", val=MODEL / "val.npz", target="attiny85", format="f32", out=tmp_path / "o"
    )
    said = r"does not fit attiny85 \(attiny85\): needs more than \d+ bytes of RAM, the board has 512;.* uno has 2,048"
    with pytest.raises(InputError, match=said):
        compile_model(request)
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("name", "flash", "ram", "found"),
    [
        # Of one chip, with no byte to spare; the next byte of either memory takes a larger board.
        ("attiny85", 32256, 2048, "uno"),
        ("attiny85", 32257, 2048, "mega"),
        ("attiny85", 32256, 2049, "mega"),
        # The program may be all constants, of which AVR reads 64,512 bytes.
        ("uno", 64512, 100, "mega"),
        ("uno", 64513, 100, "bluepill"),
        # A board keeps the memory of which it has enough.
        ("microbit", 1, 131073, "xiao-nrf52840"),
        ("stm32n6570-dk", 100, 4194305, ""),
        ("uno", 32256, 2048, ""),
    ],
)
def test_the_smallest_board_with_room_is_named(name: str, flash: int, ram: int, found: str):
    assert board_that_fits(board(name), flash, ram).partition(" has ")[0] == found


@pytest.mark.long
def test_a_run_of_a_program_larger_than_the_board_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """`tinyml run` rejects a program that exceeds the memories of the board, although an emulated core could execute
    it.
    """
    tour, name = ROOT / "docs/tour", "esp32-c3"
    compile_model(Request(model=tour / "tour.sd", val=tour / "val.npz", target=name, width=8, out=tmp_path / "o"))
    less = replace(board(name), flash=200)
    monkeypatch.setattr("tinyml.tools.driver.run_model.device_board", {name: less}.__getitem__)
    with pytest.raises(InputError, match=r"does not fit esp32-c3 .*: needs [\d,]+ bytes of flash, the board has 200$"):
        run_model(RunRequest(folder=tmp_path / "o", data=tour / "val.npz", device=name, limit=1))
