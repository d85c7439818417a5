"""The folder for MicroPython is built by MicroPython's own rules, and runs on this computer and on QEMU's Cortex-M7.

`make folders FROM=DIR` runs these tests with the sources in DIR/micropython, in which `mpy-cross`, the unix port and
the port `qemu` (`BOARD=MPS2_AN500 FROZEN_MANIFEST=`) were built, and a Python with `pyelftools` and `ar` in DIR/python.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import numpy as np
import pytest
from programs.other_tools import from_folder, passed
from programs.sensor_models import CLASSES, NAME, inputs, sensor_model

from tinyml.dialects.errors import InputError
from tinyml.targets.registry import board
from tinyml.tools.driver.packages.packaging_table import packagings_for
from tinyml.tools.driver.shared_programs import join_programs

UNIX, FIRMWARE = "ports/unix/build-standard/micropython", "ports/qemu/build-MPS2_AN500/firmware.elf"

LIMIT = 300
"""Seconds after which an emulated board that does not answer is stopped."""

IN_MEMORY = """\
import io, os, sys
class File(io.IOBase):
    def __init__(self, content):
        self.content, self.at = content, 0
    def ioctl(self, request, argument):
        return 0
    def readinto(self, buffer):
        part = self.content[self.at:self.at + len(buffer)]
        buffer[:len(part)] = part
        self.at += len(part)
        return len(part)
class Files:
    def mount(self, readonly, mkfs):
        pass
    def stat(self, path):
        if path != "/{name}.mpy":
            raise OSError(2)
        return (32768,) + 9 * (0,)
    def open(self, path, mode):
        return File({content!r})
os.mount(Files(), "/module")
sys.path.insert(0, "/module")
"""
"""Python that lets a board without a file system import a native module."""

CHECK = """\
from array import array
from {name} import Model
rows, classes = {rows!r}, {classes!r}
models = Model(), Model()
equal = 0
for turn in range({calls}):
    at = turn % len(rows)
    model = models[turn % 2]
    label = model.predict_floats(array("f", rows[at]))
    equal += label == classes[at]
    scores = model.scores()
    equal -= scores.index(max(scores)) != label
print(equal, models[0].class_name(1))
"""


def sources() -> Path:
    """The folder with MicroPython's sources; skips the test without it."""
    return from_folder("micropython", "mpy-cross/build/mpy-cross").parents[2]


def built(folder: Path, architecture: str) -> bytes:
    """The native module of an architecture."""
    python = from_folder("python", "bin/python3").parent
    project = folder / "micropython" / NAME
    command = ["make", "-C", str(project), f"MPY_DIR={sources()}", f"ARCH={architecture}"]
    passed(command, path=python)
    return (project / f"{NAME}.mpy").read_bytes()


def on_qemu(script: str, firmware: Path) -> str:
    """What a script prints on the emulated board.

    When the port starts, it calls its host by semihosting. Without `-semihosting`, this breakpoint stops the processor.
    """
    machine = ["qemu-system-arm", "-machine", "mps2-an500", "-semihosting", "-display", "none", "-monitor", "none"]
    command = ["timeout", str(LIMIT), *machine, "-serial", "stdio", "-kernel", firmware]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        keyboard, console = running.stdin, running.stdout
        assert keyboard is not None
        assert console is not None
        printed_up_to(console, b">>> ")
        typed(keyboard, b"\x01")
        printed_up_to(console, b"raw REPL; CTRL-B to exit\r\n>")
        typed(keyboard, script.encode() + b"\x04")
        # The raw mode of the prompt ends output and errors by a byte each.
        printed_up_to(console, b"OK")
        output, errors = printed_up_to(console, b"\x04"), printed_up_to(console, b"\x04")
        running.terminate()
    assert not errors, errors
    return output.decode()


def printed_up_to(console: IO[bytes], end: bytes) -> bytes:
    printed = b""
    while not printed.endswith(end):
        byte = console.read(1)
        assert byte, printed
        printed += byte
    return printed.removesuffix(end)


def typed(keyboard: IO[bytes], text: bytes) -> None:
    keyboard.write(text)
    keyboard.flush()


def check_text(model_inputs: np.ndarray, classes: Sequence[int], calls: int) -> str:
    rows = [row.tolist() for row in model_inputs]
    return CHECK.format(name=NAME, rows=rows, classes=list(classes), calls=calls)


@pytest.mark.long(seconds=30)
@pytest.mark.parametrize("architecture", ["x64", "armv7emsp"])
def test_two_instances_answer_as_the_evaluator(architecture: str, tmp_path: Path):
    model = sensor_model(tmp_path, "cortex-m4", packages=("micropython",), instances=True, width=16)
    module = built(model.out, architecture)
    x = inputs(50)
    script = check_text(x, model.classes(x), 200)
    selftest = (model.out / "micropython/selftest.py").read_text()
    if architecture == "x64":
        unix = from_folder("micropython", UNIX)
        for name, text in (("check.py", script), ("selftest.py", selftest)):
            (tmp_path / name).write_text(text)
        (tmp_path / f"{NAME}.mpy").write_bytes(module)
        said = [passed([str(unix), name], folder=tmp_path) for name in ("check.py", "selftest.py")]
    else:
        firmware = from_folder("micropython", FIRMWARE)
        mounted = IN_MEMORY.format(name=NAME, content=module)
        said = [on_qemu(mounted + text, firmware) for text in (script, selftest)]
    assert said[0].split() == ["200", CLASSES[1]]
    assert said[1].strip() == f"{NAME}: 5 of 5 samples as on the desk"


@pytest.mark.long(seconds=30)
def test_programs_with_one_arena_are_two_modules(tmp_path: Path):
    outs = [sensor_model(tmp_path / name, "cortex-m4", name=name).out for name in ("first", "second")]
    join_programs(outs, out := tmp_path / "out", packages=["micropython"])
    unix = from_folder("micropython", UNIX)
    python = from_folder("python", "bin/python3").parent
    (run := tmp_path / "run").mkdir()
    for name in ("first", "second"):
        folder = out / "micropython" / name
        passed(["make", "-C", folder / name, f"MPY_DIR={sources()}", "ARCH=x64"], path=python)
        shutil.copy(folder / name / f"{name}.mpy", run)
        shutil.copy(folder / "selftest.py", run / f"test_{name}.py")
    (run / "both.py").write_text("import test_first\nimport test_second\n")
    said = passed([str(unix), "both.py"], folder=run).splitlines()
    assert said == [f"{name}: 5 of 5 samples as on the desk" for name in ("first", "second")]


@pytest.mark.long(seconds=30)
@pytest.mark.parametrize("architecture", ["armv6m", "armv7m", "rv32imc"])
def test_it_is_linked_for_other_processors(architecture: str, tmp_path: Path):
    if architecture == "rv32imc" and not _has_c_library("riscv64-unknown-elf-gcc"):
        pytest.skip("riscv64-unknown-elf-gcc has no C library (picolibc)")
    model = sensor_model(tmp_path, "cortex-m0", packages=("micropython",), instances=True)
    assert built(model.out, architecture)[:1] == b"M"


def _has_c_library(compiler: str) -> bool:
    command = [compiler, "-E", "-include", "string.h", "-x", "c", "/dev/null"]
    return (
        shutil.which(compiler) is not None and subprocess.run(command, capture_output=True, check=False).returncode == 0
    )


def test_what_micropython_cannot_run():
    for target in ("uno", "ecp5-25k"):
        with pytest.raises(InputError, match=f"{target} does not run MicroPython"):
            packagings_for(board(target), ["micropython"], zipped=False)
