"""A network in two memories of a board: the accesses that the compiler computes from its loops, and those that an
emulator counts.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from programs.paths import TESTS

import tinyml
from tinyml.dialects.context import context
from tinyml.runtime.devices.array_accesses import count_accesses
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.stages import load_program

NETWORK = TESTS / "models" / "pytorch" / "cnn-script.onnx"
"""A network with two convolutions, a pool and a dense layer."""

MEMORIES = {
    "cortex-m55": "dtcm=1K,sram=256K:2/2,flash=4M:5/0",
    "portenta-h7": "dtcm=1K,sram=256K:2/2,flash=768K:5/0",
    "esp32-c3": "near=512:0/0,far=64K:7/7,flash=1M:9/0",
}
"""The memories of the boards, the first of which is too small for the network."""


def placed(board: str) -> dict[str, Any]:
    """The wait cycles of an inference, and for both memories the bytes used, loaded and stored.

    `stated`: the accessed bytes that the compiler computes from the loops.
    `counted`: the accessed bytes that the emulator counts.
    `one_memory`: the wait cycles of the program without the first memory.
    """
    model = tinyml.load(NETWORK)
    x = np.random.default_rng(7).normal(size=(40, model.features)).astype("float32")
    values: dict[str, float | str] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "placed")
        tinyml.compile(model, x, format="fixed", width=8, board=board, memory=MEMORIES[board]).save(folder)
        memories = json.loads((folder / "report.json").read_text())["memory"]["memories"]
        formats = load_program(folder / "ir" / "1-formats.mlir", context())
        interface, runner = interface_of(formats), runner_for(board)
        inputs = encode_inputs(formats, x[:3])
        counted = count_accesses(runner, runner.build(folder, interface, folder), interface, inputs).accesses
        values |= {key: memories[key] for key in ("wait_cycles", "bound", "proof")}
        for number, row in enumerate(memories["rows"], 1):
            ends = f"_arena_{row['name']}", f"_in_{row['name']}"
            here = [each for array, each in counted.items() if array.endswith(ends)]
            values |= {
                f"name{number}": row["name"],
                f"used{number}": row["arena"] + row["constants"],
                f"stated{number}": row["bytes_loaded"] + row["bytes_stored"],
                f"counted{number}": sum(each.read_bytes + each.written_bytes for each in here),
            }
        values["one_memory"] = _in_one(model, x, board, Path(name, "one"))
    return values


def _in_one(model: object, x: np.ndarray, board: str, folder: Path) -> int:
    """The wait cycles of a program without the first memory."""
    _, second, flash = MEMORIES[board].split(",")
    tinyml.compile(model, x, format="fixed", width=8, board=board, memory=f"{second},{flash}").save(folder)
    memories = json.loads((folder / "report.json").read_text())["memory"]["memories"]
    return int(memories["wait_cycles"])
