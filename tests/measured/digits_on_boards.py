"""Gural and Murmann's network for digits with weights in RAM: on an Uno with a serial line, and on all test images."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from programs import gural_murmann
from programs.arduino_builder import built_sketch, is_installed
from programs.simulated_board import STREAM, UNO, simulated_board

from tinyml.dialects.context import context
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.toolchain import weights_in
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.chip import WEIGHTS
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import load_program, print_ir
from tinyml.tools.main import main as tinyml

IMAGES = 100
OPTIONS = ("--reuse-input", "--pack-buffers", "--load-weights", "--target", UNO.name)


def compiled(folder: Path, options: Sequence[str]) -> Path:
    """The output folder of the network for an Uno; raises `SystemExit` if the compilation fails."""
    (folder / "network.mlir").write_text(print_ir(gural_murmann.program()), encoding="utf-8")
    if failed := tinyml(["compile", str(folder / "network.mlir"), *OPTIONS, *options, "-o", str(folder / "out")]):
        raise SystemExit(failed)
    return folder / "out"


def at_serial_line(options: Sequence[str]) -> dict[str, Any]:
    """The figures of the sketch `Stream` on a simulated Uno, which classifies `images` images. Arduino's tools and core
    build it.

    `weights`: the bytes of weights that it receives.
    `static`: the bytes of .data and .bss, including weights and arena.
    `stack`: the maximum depth in bytes, including interrupts.
    `ram`: the sum of `static` and `stack`.
    `equal`: the number of images if the logits of all equal the evaluator's, otherwise 0.
    `time`: the cycles of an inference alone.
    `milliseconds`: the time of an inference including the communication.
    """
    assert is_installed(), "arduino-builder is not installed"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        out = compiled(folder, options)
        np.savez(folder / "images.npz", x=gural_murmann.images(_stored()["x"])[:IMAGES])
        [sketch] = out.glob(f"arduino/*/{STREAM}")
        elf = built_sketch(out / "arduino", sketch, folder / "build", UNO.name)
        with simulated_board(elf, folder) as port:
            answered = run_model(RunRequest(folder=out, data=folder / "images.npz", port=port, timeout=60))
        static, stack = map(int, (folder / "depth").read_text().split())
        simulated = run_model(RunRequest(folder=out, data=folder / "images.npz", device=UNO.name, limit=2))
        [content] = out.glob(f"*{WEIGHTS}")
        return {
            "weights": content.stat().st_size,
            "static": static,
            "stack": stack,
            "ram": static + stack,
            "images": answered["samples"],
            "equal": answered["samples"] if answered["mismatch"] is None else 0,
            "time": simulated["cycles_per_inference"],
            "milliseconds": answered["milliseconds_per_inference"],
        }


def on_all_images(file: Path) -> dict[str, Any]:
    """The figures of the Uno's program, compiled for the host, on all images of a file: the number of images, the
    number of right answers, and their percentage (`accuracy`).

    `equal`: the number of images whose logits equal those of integer arithmetic in numpy.
    """
    with tempfile.TemporaryDirectory() as name:
        out = compiled(Path(name), ["--plan", "pixels"])
        interface, runner, data = (
            interface_of(load_program(out / "ir/1-formats.mlir", context())),
            HostRunner(),
            np.load(file),
        )
        images = gural_murmann.images(data["x"])
        build = runner.build(out, interface, Path(name))
        assert build.weights == weights_in(out, interface) != b""
        found = runner.run(build, interface, images)
        assert found.scores is not None
        assert found.labels is not None
        equal = (found.scores == gural_murmann.logits(images)).all(1)
        right = int((found.labels == data["y"]).sum())
        return {"images": len(images), "right": right, "accuracy": 100 * right / len(images), "equal": int(equal.sum())}


def _stored() -> Any:
    return np.load(gural_murmann.FOLDER / "test.npz")
