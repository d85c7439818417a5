"""Raws of 32 bits keep all their bits on the way from a data set to the outputs of every executor."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import SMALL, need_tools
from programs.hardware import need_simulator
from programs.printed import parse

import tinyml
from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.registry import CIRCT, LLVM
from tinyml.runtime.evaluator.evaluator import encode_inputs
from tinyml.runtime.model.program_data import load_program_data, random_data, reals_of, stored_samples
from tinyml.targets.registry import HOST
from tinyml.tools.main import main

ELEMENTS = 4

FORMATS = {"fixed-8": "!fixed.q<32, 8>", "fixed-31": "!fixed.q<32, 31>", "posit": "!posit.p<32, 2>"}

FPGA = "ecp5-25k"

DEVICES = [HOST, *SMALL, LLVM, CIRCT, FPGA]


def text_of(type: str, interface: str = "") -> str:
    """A program that returns the greater of zero and each input. The order of posits is that of their raws."""
    tensor = f"tensor<1x{ELEMENTS}x{type}>"
    given = f" attributes {{tdsl.interface = #tdsl.interface<input = <{interface}>>}}" if interface else ""
    return (
        f"func.func @wide(%X: {tensor}) -> {tensor}{given} {{\n"
        f"  %y = tdsl.relu %X : {tensor} -> {tensor}\n  func.return %y : {tensor}\n}}\n"
    )


def wide_raws(samples: int) -> NDArray[np.int64]:
    """Raws whose low 8 bits single precision loses, among them both ends of the range without NaR."""
    raws = np.random.default_rng(5).integers(-(2**31) + 1, 2**31, (samples, ELEMENTS))
    raws[0] = [2**24 + 1, -(2**24) - 1, 2**31 - 1, -(2**31) + 1]
    return raws


@pytest.mark.long
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("device", DEVICES)
def test_raws_of_a_file_reach_the_device_with_all_bits(format: str, device: str, tmp_path: Path) -> None:
    need_tools(device)
    if device in (CIRCT, FPGA):
        need_simulator("verilator")
    raws = wide_raws(24)
    (tmp_path / "wide.mlir").write_text(text_of(FORMATS[format]))
    np.savez(tmp_path / "raws.npz", x=raws)
    target = {LLVM: HOST, CIRCT: FPGA}.get(device, device)
    data = ["--val", str(tmp_path / "raws.npz")]
    assert main(["compile", str(tmp_path / "wide.mlir"), *data, "-o", str(tmp_path / "out"), "--target", target]) == 0
    told = ["--data", str(tmp_path / "raws.npz"), "--device", device, "--save", str(tmp_path / "results.npz")]
    assert main(["run", str(tmp_path / "out"), *told]) == 0
    assert np.load(tmp_path / "results.npz")["scores"].tolist() == np.maximum(raws, 0).tolist()


@pytest.mark.parametrize("type", FORMATS.values())
def test_raws_of_an_array_reach_the_evaluator_with_all_bits(type: str, tmp_path: Path) -> None:
    (tmp_path / "wide.mlir").write_text(text_of(type))
    raws = wide_raws(50)
    program = tinyml.compile(tmp_path / "wide.mlir", raws, board=HOST, raw=True)
    assert isinstance(program, tinyml.Program)
    assert program.raw_scores(raws, raw=True).tolist() == np.maximum(raws, 0).tolist()
    # The samples of the folder are those of the compilation.
    stored = np.load(program.folder / "samples.npz")["x"]
    assert stored.dtype.kind == "i"
    assert stored.tolist() == raws[: len(stored)].tolist()


@pytest.mark.parametrize("type", FORMATS.values())
def test_random_inputs_use_all_bits(type: str) -> None:
    module = parse(text_of(type))[1]
    raws = encode_inputs(module, random_data(module, 64).x)
    assert len(np.unique(raws & 0xFF)) > 100


def test_features_of_separate_scales_keep_all_bits() -> None:
    scales = "scales = [0.5, 3.0, 1.0, 0.25], offsets = [0.0, 100.0, -7.5, 1.0]"
    module = parse(text_of("!fixed.q<32, 8>", scales))[1]
    raws = wide_raws(200)
    assert encode_inputs(module, reals_of(module, raws)).tolist() == raws.tolist()


def test_samples_that_single_precision_represents_are_stored_as_reals() -> None:
    module = parse(text_of("!fixed.q<32, 8>"))[1]
    x = np.array([[0.5, -1.25, 3.0, 0.0]])
    assert stored_samples(module, x).dtype.kind == "f"


PARTS: Mapping[str, tuple[Mapping[str, Any], list[float]]] = {
    "integers": (
        {"a": [[2**24 + 1, 3]], "b": [[-(2**24) - 1, 5]]},
        [65536.00390625, 0.01171875, -65536.00390625, 0.01953125],
    ),
    "integers and reals": ({"a": [[2**24 + 1, 3]], "b": [[1.5, -2.0]]}, [65536.00390625, 0.01171875, 1.5, -2.0]),
    "reals": ({"a": [[1.0, 3.0]], "b": [[1.5, -2.0]]}, [1.0, 3.0, 1.5, -2.0]),
}


@pytest.mark.parametrize("kind", PARTS)
def test_each_array_of_a_file_is_raws_or_reals(kind: str, tmp_path: Path) -> None:
    arrays, reals = PARTS[kind]
    module = parse(text_of("!fixed.q<32, 8>", 'parts = [["a", 2], ["b", 2]]'))[1]
    np.savez(tmp_path / "x.npz", **arrays)
    assert load_program_data(module, str(tmp_path / "x.npz")).x[0].tolist() == reals


def test_each_array_of_a_file_has_the_format_of_its_input(tmp_path: Path) -> None:
    parts = 'parts = [["a", 2], ["b", 2, !zeroskew.q<8, 0.25, -3>]]'
    module = parse(text_of("!zeroskew.q<8, 0.5, 0>", parts))[1]
    np.savez(tmp_path / "x.npz", a=np.array([[3, -4]], np.int8), b=np.array([[1, 5]], np.int8))
    assert load_program_data(module, str(tmp_path / "x.npz")).x[0].tolist() == [1.5, -2.0, 1.0, 2.0]


def test_an_input_called_y_is_not_read_as_the_answers(tmp_path: Path) -> None:
    module = parse(text_of("f32", 'parts = [["x", 2], ["y", 1], ["z", 1]]'))[1]
    np.savez(tmp_path / "x.npz", x=[[0.5, 1.0]], y=[[0.25]], z=[[0.75]])
    with pytest.raises(InputError, match="`y` is an input of the model, but contains answers in a file"):
        load_program_data(module, str(tmp_path / "x.npz"))


@pytest.mark.parametrize("raw", [2**31, -(2**31) - 1, 2**40, 2**63 - 1])
def test_an_integer_beyond_the_format_is_one_line(raw: int) -> None:
    module = parse(text_of("!fixed.q<32, 8>"))[1]
    with pytest.raises(InputError, match=f"{raw} is not the raw value of any !fixed.q<32, 8>"):
        reals_of(module, np.array([[0, 1, 2, raw]]))


def test_an_integer_of_64_unsigned_bits_is_one_line() -> None:
    module = parse(text_of("!fixed.q<32, 8>"))[1]
    with pytest.raises(InputError, match="18446744073709551615 is not the raw value"):
        reals_of(module, np.array([[0, 1, 2, 2**64 - 1]], np.uint64))


def test_raws_and_reals_of_one_call_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "wide.mlir").write_text(text_of("!fixed.q<32, 8>", 'parts = [["a", 2], ["b", 2]]'))
    whole, part = np.array([[1, 2]]), np.array([[0.5, 1.0]])
    with pytest.raises(InputError, match="X_val, input 'b': expected integers, got float64"):
        tinyml.compile(tmp_path / "wide.mlir", (whole, part), board=HOST, raw=True)
