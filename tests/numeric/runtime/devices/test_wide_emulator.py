"""The base class of emulated chips also supports a 64-bit core whose memory addresses differ from those of 32-bit
cores.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.plugins import installed

from tinyml.runtime.devices.attribution import DEBUG_FLAGS
from tinyml.runtime.devices.emulator import Core
from tinyml.runtime.devices.registry import DeviceError, Interface, TimeProfile, runner_for
from tinyml.runtime.devices.riscv import RiscvRunner
from tinyml.targets import registry
from tinyml.targets.board import Board
from tinyml.targets.chip import Chip
from tinyml.targets.riscv.chip import CHIP as RISCV

FIX = Interface("fixmodel", "int16_t", 16, "int16_t", 4, has_label=True)
SMALL = Interface("small", "int16_t", 1, None, 0, has_label=True)
FLASH, RAM = 0x4000000, 0x60000000

WIDE: Chip = RISCV


@dataclass(frozen=True)
class WideRunner(RiscvRunner):
    """A runner for an emulated 64-bit RISC-V core whose memory addresses differ from those of the 32-bit core."""

    def core(self, unicorn: Any) -> Core:
        emulator = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV64)
        memories = {"flash": (FLASH, 1 << 20), "ram": (RAM, 1 << 18)}
        return dataclasses.replace(super().core(unicorn), emulator=emulator, bits=64, **memories)


@pytest.fixture(autouse=True)
def wide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    harness = tmp_path / "chip" / "harness"
    harness.mkdir(parents=True)
    (harness / "main.c").write_text((RISCV.folder / "harness" / "main.c").read_text())
    script = (RISCV.folder / "harness" / "memory.ld").read_text()
    moved = script.replace("ORIGIN = 0x20000000", f"ORIGIN = {RAM:#x}").replace(
        "ORIGIN = 0x00000000", f"ORIGIN = {FLASH:#x}"
    )
    assert f"{RAM:#x}" in moved
    assert f"{FLASH:#x}" in moved
    (harness / "memory.ld").write_text(moved)
    flags = ("-march=rv64imc", "-mabi=lp64", "-mcmodel=medany", "-ffreestanding", "-nostdlib")
    changes: dict[str, Any] = {"name": "wide", "folder": harness.parent, "runner": f"{__name__}:WideRunner"}
    boards = (Board("wide", "rv64imc", 131072, 32768),)
    monkeypatch.setattr(f"{__name__}.WIDE", dataclasses.replace(RISCV, boards=boards, flags=flags, **changes))
    with installed(EntryPoint("wide", f"{__name__}:WIDE", registry.GROUP)):
        yield


def test_outputs_and_profiles(tmp_path: Path):
    inputs = np.random.default_rng(7).integers(-32768, 32768, (20, 16)).astype(np.int16)
    profiles: list[TimeProfile] = []
    for name in ("wide", "riscv"):
        runner = runner_for(name)
        build = runner.build(Path(__file__).parent / "fixmodel", FIX, tmp_path, extra_flags=DEBUG_FLAGS)
        profiles.append(runner.profile(build, FIX, inputs))
    wide, narrow = profiles
    assert wide.result.scores is not None
    assert narrow.result.scores is not None
    np.testing.assert_array_equal(wide.result.scores, narrow.result.scores)
    assert wide.result.cycles is not None
    assert sum(wide.spent.values()) == pytest.approx(wide.result.cycles.mean())


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return X[0];", None),
        (WIDE.trap, "crash at"),
        ("((void (*)(void))0x3ff0)();", "out of the program|crash at 0x3ff0"),
    ],
)
def test_negative_labels_and_crashes(body: str, message: str | None, tmp_path: Path):
    source = tmp_path / "source"
    source.mkdir()
    head = "int16_t small_predict(const int16_t *X)"
    lengths = "#define small_INPUT_LENGTH 1\n#define small_OUTPUT_LENGTH 0\n"
    (source / "small.h").write_text(f"#include <stdint.h>\n{lengths}{head};\n")
    (source / "small.c").write_text(f'#include "small.h"\n{head} {{ (void)X; {body} return X[0]; }}\n')
    runner, inputs = runner_for("wide"), np.array([[-7], [300]], np.int16)
    build = runner.build(source, SMALL, tmp_path)
    if message is not None:
        with pytest.raises(DeviceError, match=message):
            runner.run(build, SMALL, inputs)
    else:
        result = runner.run(build, SMALL, inputs)
        assert result.labels is not None
        assert result.labels.tolist() == [-7, 300]
