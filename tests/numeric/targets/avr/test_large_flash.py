"""Constants of programs for the ATmega2560, which has 256 KB of flash; LPM reads only the first 64 KB."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import datasets, sk
from programs.far_flash import CODE
from programs.spread import examples

from tinyml.dialects.context import context
from tinyml.dialects.errors import TooLargeError
from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.runtime.devices.avr import BEHIND_CONSTANTS
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.toolchain import symbols
from tinyml.runtime.model.interface import Interface
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.avr.chip import CHIP, LPM_BYTES
from tinyml.targets.registry import board
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.program_in_folder import program_in
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import load_program

MEGA, OTHERS = "mega", ("atmega1284p", "host")
SAMPLES = examples(2, 5)

CONSTANTS = (
    '__asm__(".section .progmem.data.more,\\"a\\",@progbits\\nmore:\\t.space 30000\\n\\t'
    '.section .init3,\\"ax\\",@progbits\\n\\tldi r24,lo8(more)\\n\\t.text");\n'
)
"""Constants of somebody else's."""


@cache
def digits() -> Any:
    x, y = datasets.load_digits(return_X_y=True)
    return x[:60].astype("f4"), y[:60]


def request(estimator: Any, folder: Path, samples: int = 60, **options: Any) -> Request:
    """A request to compile an estimator of digits for a Mega.

    samples: the number of validation samples.
    """
    x, y = digits()
    model, val = folder / "model.mlir", folder / "val.npz"
    model.write_text(str(import_estimator(estimator.fit(x, y), file="model")))
    np.savez(val, x=x[:samples], y=y[:samples])
    return Request(model=model, val=val, target=MEGA, width=8, out=folder / "out", **options)


def layers(*widths: int) -> Any:
    """A neural network with the given widths of hidden layers, trained for one iteration."""
    return sk.MLPClassifier(widths, max_iter=1, random_state=0)


def mismatches(asked: Request, *devices: str) -> list[str | None]:
    """For each device, the first difference from the evaluator's bits; None if there is none."""
    assert asked.val is not None
    program = program_in(asked.out)
    asked_of = [RunRequest(folder=asked.out, data=asked.val, device=device, limit=SAMPLES) for device in devices]
    return [run_model(run, program)["mismatch"] for run in asked_of]


def end_of_constants(asked: Request, folder: Path) -> int:
    """The end address of all constants of the linked program."""
    interface = interface_of(load_program(asked.out / "ir" / "1-formats.mlir", context()))
    runner = runner_for(MEGA)
    return symbols(runner.chip, runner.build(asked.out, interface, folder).elf)[BEHIND_CONSTANTS]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_60_kb_of_constants(tmp_path: Path):
    """A program with 60 KB of constants and code beyond the first 64 KB computes the evaluator's bits. If the sketch
    contains further constants that end beyond the range of LPM, the build is rejected.
    """
    asked = request(layers(242, 124, 130), tmp_path, samples=10)
    report = compile_model(asked)
    assert report["mismatch"] is None
    assert 60_000 < report["constants_bytes"] < LPM_BYTES - 1024
    assert report["flash_bytes"] > LPM_BYTES
    assert report["constants_bytes"] < end_of_constants(asked, tmp_path) < LPM_BYTES
    assert mismatches(asked, *OTHERS) == [None, None]
    (asked.out / "more.c").write_text(CONSTANTS)
    with pytest.raises(TooLargeError, match=r"constants of the program end at byte 9\d,\d+ of .* mega, LPM reads the"):
        end_of_constants(asked, tmp_path)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_130_kb_of_constants(tmp_path: Path):
    """A program whose weights cross two boundaries of 64 KB computes the evaluator's bits. Two of its layers have more
    than 64 KB each, which no single C array can hold.
    """
    asked = request(layers(1030, 66), tmp_path, samples=2)
    report = compile_model(asked)
    assert report["mismatch"] is None
    assert report["constants_bytes"] > 130_000
    assert report["fits"]
    far = report["far_constants"]
    assert report["constants_bytes"] - far["bytes"] <= LPM_BYTES - 1024
    assert 0 < far["cycles_per_inference"] < report["cycles_per_inference"] / 50
    assert end_of_constants(asked, tmp_path) < LPM_BYTES
    source = (asked.out / "model.c").read_text()
    assert source.count("TM_FLASH_FAR = {") == len(far["arrays"]) > 2
    assert mismatches(asked, "host") == [None]


def test_more_is_refused():
    """A program is rejected if its near constants exceed the bytes that LPM reads, or if all its constants exceed the
    flash.
    """
    mega = board(MEGA)
    CHIP.check_constants(250_000, mega, far=190_000)
    with pytest.raises(TooLargeError, match=r"take 81,620 bytes, of the flash of mega a program reads 64,512 as con"):
        CHIP.check_constants(81_620, mega)
    with pytest.raises(TooLargeError, match=r"take 90,000 bytes, 80,000 of them not as far constants, of the flash of"):
        CHIP.check_constants(90_000, mega, far=10_000)
    with pytest.raises(TooLargeError, match=r"take 260,000 bytes, mega has 253,952 of flash: fewer bits"):
        CHIP.check_constants(260_000, mega, far=200_000)


_ELEMENTS = {"i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "f32": "float"}
_ARRAY = 30_000
_READS = """\
static uint16_t hash_{0}(void)
{{
    uint16_t hash = 0;
    tm_far p = TM_FAR(far_{0});
    for (int i = 0; i < {2}; i++) {{
        const {1} value = tm_next_far_{0}(&p), same = tm_far_{0}(TM_FAR(far_{0}) + i * (int){3});
        uint16_t parts[4] = {{0, 0, 0, 0}};
        memcpy(parts, &value, sizeof value);
        hash = (uint16_t)(31u * hash + (parts[0] ^ parts[1] ^ parts[2] ^ parts[3]) + (value != same));
    }}
    return hash;
}}
"""


def _numbers(kind: str) -> Any:
    """Random elements of the type `kind` for a far array. Floats are integers of 21 bits, so that their text is
    short.
    """
    rng = np.random.default_rng(0)
    if kind == "f32":
        return rng.integers(-(1 << 20), 1 << 20, _ARRAY // 4).astype("<f4")
    dtype = np.dtype(f"<i{int(kind[1:]) // 8}")
    return rng.integers(np.iinfo(dtype).min + 1, np.iinfo(dtype).max, _ARRAY // dtype.itemsize, dtype)


@pytest.mark.long
def test_elements_across_boundaries(tmp_path: Path):
    """Elements of all types in 150 KB, across two boundaries of 64 KB, are read by address and one after another."""
    texts = ['#include "reads.h"\n#include <string.h>\n', CHIP.prelude]
    texts += [text for name, text in CHIP.helpers.items() if "far" in name]
    expected: list[int] = []
    for kind, ctype in _ELEMENTS.items():
        numbers = _numbers(kind)
        spelled = ",".join(f"{int(number)}{'LL' if kind == 'i64' else ''}" for number in numbers)
        texts.append(f"static const {ctype} far_{kind}[] TM_FLASH_FAR = {{{spelled}}};\n")
        texts.append(_READS.format(kind, ctype, len(numbers), numbers.itemsize))
        parts = np.ascontiguousarray(numbers).view(np.uint8).reshape(len(numbers), -1)
        words = np.zeros((len(numbers), 8), np.uint8)
        words[:, : parts.shape[1]] = parts
        value = 0
        for word in np.bitwise_xor.reduce(words.view("<u2"), axis=1).tolist():
            value = (31 * value + word) % (1 << 16)
        expected.append(value)
    calls = "".join(f"    out[{at}] = (int16_t)hash_{kind}();\n" for at, kind in enumerate(_ELEMENTS))
    texts.append(f"static int16_t out[5];\nvoid reads_predict(const int16_t *X)\n{{\n    (void)X;\n{calls}}}\n")
    texts.append("const int16_t *reads_scores(void) { return out; }\n")
    (tmp_path / "reads.c").write_text("\n".join(texts))
    (tmp_path / "reads.h").write_text(_READS_HEADER)
    interface = Interface("reads", "int16_t", 1, "int16_t", 5, has_label=False)
    for device in (MEGA, "host"):
        runner = runner_for(device)
        built = runner.build(tmp_path, interface, tmp_path)
        scores = runner.run(built, interface, np.zeros((1, 1), np.int16)).scores
        assert scores is not None
        assert scores.view(np.uint16).ravel().tolist() == expected


_READS_HEADER = """\
#include <stdint.h>
#define reads_INPUT_LENGTH 1
#define reads_OUTPUT_LENGTH 5
void reads_predict(const int16_t *X);
const int16_t *reads_scores(void);
"""


@pytest.mark.long
@pytest.mark.parametrize(("kind", "flash"), [("registers", None), ("code", 3_300), ("tables", 2_000)])
def test_forests_behind_much_code(kind: str, flash: int | None, tmp_path: Path):
    """Forests in registers, as code and as tables compute the evaluator's bits on a Mega whose program contains 66,000
    bytes of code in front of them, so that addresses in flash exceed 16 bits.
    """
    asked = request(sk.RandomForestClassifier(20, max_depth=5, random_state=0), tmp_path, flash=flash, votes="soft")
    assert compile_model(asked)["mismatch"] is None
    assert f"tm_avr_forest_{kind}_" in (asked.out / "model.c").read_text()
    (asked.out / "more.c").write_text(CODE)
    assert mismatches(asked, MEGA, OTHERS[0]) == [None, None]
