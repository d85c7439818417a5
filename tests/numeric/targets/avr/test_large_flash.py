"""Constants of programs for the ATmega2560, of whose 256 KB of flash LPM reads the first 64 KB."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import datasets, sk

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError, TooLargeError
from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.runtime.devices.avr import BEHIND_CONSTANTS
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.toolchain import symbols
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.avr.chip import REACH
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.requests.request import Request
from tinyml.tools.driver.run_model import RunRequest, run_model
from tinyml.tools.driver.stages import load_program

MEGA, OTHERS = "mega", ("atmega1284p", "host")
SAMPLES = 5

CODE = '__asm__(".section .init3,\\"ax\\",@progbits\\n\\tjmp 1f\\n\\t.space 66000\\n1:\\n\\t.text");\n'
"""Code in front of all functions, as the linker orders them, which the program jumps over at its start."""

CONSTANTS = (
    '__asm__(".section .progmem.data.more,\\"a\\",@progbits\\nmore:\\t.space 30000\\n\\t'
    '.section .init3,\\"ax\\",@progbits\\n\\tldi r24,lo8(more)\\n\\t.text");\n'
)
"""Constants of somebody else's."""


@cache
def digits() -> Any:
    x, y = datasets.load_digits(return_X_y=True)
    return x[:60].astype("f4"), y[:60]


def request(estimator: Any, folder: Path, **options: Any) -> Request:
    """A request to compile an estimator of digits for a Mega."""
    x, y = digits()
    model, val = folder / "model.mlir", folder / "val.npz"
    model.write_text(str(import_estimator(estimator.fit(x, y), file="model")))
    np.savez(val, x=x, y=y)
    return Request(model=model, val=val, target=MEGA, width=8, out=folder / "out", **options)


def layers(*widths: int) -> Any:
    """Dense layers, all but untrained."""
    return sk.MLPClassifier(widths, max_iter=1, random_state=0)


def mismatch(asked: Request, device: str) -> str | None:
    assert asked.val is not None
    return run_model(RunRequest(folder=asked.out, data=asked.val, device=device, limit=SAMPLES))["mismatch"]


def end_of_constants(asked: Request, folder: Path) -> int:
    """The address behind all constants of the linked program."""
    interface = interface_of(load_program(asked.out / "ir" / "1-formats.mlir", context()))
    runner = runner_for(MEGA)
    return symbols(runner.chip, runner.build(asked.out, interface, folder).elf)[BEHIND_CONSTANTS]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_60_kb_of_constants(tmp_path: Path):
    """The code lies beyond the first 64 KB, in part; further constants of the sketch's own are one too many."""
    asked = request(layers(240, 124, 130), tmp_path)
    report = compile_model(asked)
    assert report["mismatch"] is None
    assert 60_000 < report["constants_bytes"] < REACH - 1024
    assert report["flash_bytes"] > REACH
    assert report["constants_bytes"] < end_of_constants(asked, tmp_path) < REACH
    assert [mismatch(asked, device) for device in OTHERS] == [None, None]
    (asked.out / "more.c").write_text(CONSTANTS)
    with pytest.raises(TooLargeError, match=r"constants of the program end at byte 9\d,\d+ of .* mega, LPM reads the"):
        end_of_constants(asked, tmp_path)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("widths", "said"),
    [
        ((240, 130, 130, 130), r"the constants take 8\d,\d+ bytes, of the flash of mega a program reads 64,512 as"),
        ((520, 70), r"constant '\w+' takes 3\d+ bytes, one array of avr at most 32767"),
    ],
)
def test_more_is_refused(widths: tuple[int, ...], said: str, tmp_path: Path):
    with pytest.raises(InputError, match=rf"does not fit mega \(atmega2560\): {said}") as error:
        compile_model(request(layers(*widths), tmp_path))
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("kind", "flash"), [("code", None), ("tables", 2_000)])
def test_forests_behind_much_code(kind: str, flash: int | None, tmp_path: Path):
    """Records and tables among the code are still read, and return addresses of three bytes are."""
    asked = request(sk.RandomForestClassifier(20, max_depth=5, random_state=0), tmp_path, flash=flash, votes="soft")
    assert compile_model(asked)["mismatch"] is None
    assert f"tm_avr_forest_{kind}_" in (asked.out / "model.c").read_text()
    (asked.out / "more.c").write_text(CODE)
    assert [mismatch(asked, device) for device in (MEGA, OTHERS[0])] == [None, None]
