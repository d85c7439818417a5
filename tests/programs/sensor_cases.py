"""Models whose inputs are a sensor's integers, compiled for two boards, with these integers and with reals as
inputs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from programs.compiled import compile_without_pictures
from programs.paths import MODELS, ROOT
from tinyml.dialects.context import context
from tinyml.dialects.tdsl.sensor_units import InputUnit
from tinyml.runtime.devices.device import RunResult
from tinyml.runtime.devices.float_inputs import run_on_floats
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate
from tinyml.runtime.model.interface import Interface
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.program_data import load_program_data
from tinyml.targets.registry import HOST
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.stages import load_program

AVR, ARM = "atmega1284p", "cortex-m4"
DEVICES = {HOST: AVR, AVR: AVR, ARM: ARM}
"""Devices, and the board that what they run is printed for."""

CHOSEN_FROM = 300
"""Samples by which formats are chosen."""


@dataclass(frozen=True)
class SensorCase:
    """A model, its test set, the unit of its input and the width of its formats.

    The validation set is `val.npz` in the folder of the test set, or else the end of the test set.
    """

    model: Path
    data: Path
    unit: str
    width: int

    def samples(self, file: Path) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The sensor's integers (samples, elements), and the classes of the samples."""
        with np.load(file) as data:
            x: NDArray[Any] = data["x"].reshape(len(data["x"]), -1)
            y: NDArray[np.int64] = data["y"].astype(np.int64)
        if x.dtype.kind == "f":
            unit = InputUnit.parse(self.unit, x.shape[1]).units[0]
            x = np.clip(np.round((x - unit.offset) / unit.scale), unit.low, unit.high)
        return x.astype(np.int64), y

    def _write(self, folder: Path, chosen_from: int, limit: int | None) -> None:
        """Write val.npz, and the samples to be run as reals.npz and raws.npz.

        chosen_from, limit: as for `compiled`.
        """
        raws, y = self.samples(self.data)
        if (file := self.data.with_name("val.npz")).exists():
            val, val_y = (part[:chosen_from] for part in self.samples(file))
        else:
            val, val_y, raws, y = raws[-chosen_from:], y[-chosen_from:], raws[:-chosen_from], y[:-chosen_from]
        unit = InputUnit.parse(self.unit, raws.shape[1]).units[0]
        reals, val = ((x * unit.scale + unit.offset).astype(np.float32) for x in (raws, val))
        np.savez(folder / "val.npz", x=val, y=val_y)
        for name, x in (("raws", raws), ("reals", reals)):
            np.savez(folder / f"{name}.npz", x=x[:limit], y=y[:limit])

    def compiled(
        self, folder: Path, *, integers: bool, limit: int | None = None, chosen_from: int = CHOSEN_FROM
    ) -> CompiledCase:
        """Compile the program for both boards into a new folder, and write the samples to be run.

        integers: True for an input in the sensor's unit, False for an input of reals.
        limit: the number of samples of the test set; None for all.
        chosen_from: the number of samples for validation.
        """
        folder.mkdir()
        self._write(folder, chosen_from, limit)
        asked: dict[str, Any] = {"format": "fixed", "width": self.width, "input_unit": self.unit if integers else None}
        val, out = folder / "val.npz", {board: folder / board for board in (AVR, ARM)}
        report = compile_without_pictures(Request(model=self.model, val=val, out=out[AVR], target=AVR, **asked))
        formats = out[AVR] / "ir/1-formats.mlir"
        if "tdsl.zero" in formats.read_text("utf-8"):
            # A program with sums in memory begins on reals.
            compile_without_pictures(Request(model=self.model, val=val, out=out[ARM], target=ARM, **asked))
        else:
            compile_without_pictures(Request(model=formats, val=val, out=out[ARM], target=ARM))
        return CompiledCase(self, folder, report)


@dataclass(frozen=True)
class CompiledCase:
    """A compiled case.

    folder: contains an output folder for each board, and the samples.
    report: the report for the first board.
    """

    case: SensorCase
    folder: Path
    report: Mapping[str, Any]

    def out(self, device: str) -> Path:
        """The output folder for a device."""
        return self.folder / DEVICES[device]

    @property
    def interface(self) -> Interface:
        return interface_of(self._formats)

    @property
    def _formats(self) -> Any:
        return load_program(self.out(AVR) / "ir/1-formats.mlir", context())

    def inputs(self, name: str) -> NDArray[Any]:
        """The input features in `raws.npz` or `reals.npz`.

        name: `raws` or `reals`.
        """
        return load_program_data(self._formats, str(self.folder / f"{name}.npz")).x

    def raws(self, name: str) -> NDArray[Any]:
        """The raws of the input for the samples in `raws.npz` or `reals.npz`.

        name: `raws` or `reals`.
        """
        return encode_inputs(self._formats, self.inputs(name))

    @property
    def expected(self) -> Outputs:
        """The outputs of the evaluator."""
        return evaluate(self._formats, self.raws("reals"))

    @property
    def classes(self) -> NDArray[np.int64]:
        with np.load(self.folder / "reals.npz") as data:
            return data["y"]

    def on_raws(self, device: str) -> RunResult:
        """The result of NAME_predict on a device."""
        runner = runner_for(device)
        with tempfile.TemporaryDirectory() as folder:
            build = runner.build(self.out(device), self.interface, Path(folder))
            return runner.run(build, self.interface, self.raws("raws"))

    def on_floats(self, device: str, temporary: Path, limit: int | None = None) -> RunResult:
        """The result of NAME_predict_floats on a device.

        temporary: the folder for the build.
        limit: the number of samples; None for all.
        """
        temporary.mkdir(exist_ok=True)
        x = self.inputs("reals")[:limit]
        return run_on_floats(self.out(device), self.interface, x, device, temporary)[1]


def _example(name: str, unit: str, width: int) -> SensorCase:
    return SensorCase(MODELS[name], MODELS[name].with_name("test.npz"), unit, width)


_LENET = ROOT / "examples/pruned-lenet"
CASES = {
    "protonn-gesturepod": _example("protonn", "1:s10", 16),
    "bonsai-mnist16": _example("bonsai", "q15", 16),
    "fastgrnn-mnist16": _example("fastgrnn", "uint8:1", 8),
    "pruned-lenet": SensorCase(_LENET / "lenet.onnx", _LENET / "digits.npz", "uint8:1", 8),
}
