"""Sums of products of standard posits in a quire: the cost per product, and the cost per sum."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from programs.on_boards import printed
from xdsl.parser import Parser

from measured.store import Values
from tinyml.dialects.context import context
from tinyml.dialects.formats.posit.quire import QuireType
from tinyml.dialects.formats.posit.type import PositType
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.model_interface import interface_of
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass

ROWS, SHORT, LONG = 2, 100, 300
"""Of two matrices, whose difference is what products cost."""

DEVICES = {"uno": "uno", "m4": "cortex-m4"}


def posit_sums(n: int, es: int) -> Values:
    """The cost of sums of products of posits on an ATmega in cycles and on a Cortex-M4 in instructions.

    `_product`: the cost of a product, including decoding.
    `_rest`: the cost of a sum without its products.
    `_flash`: the bytes of a program with short rows, including its functions for floats and its weights.
    `bins`: the bytes of the quire in memory, including the flag for NaR.
    `weight`: the bytes of flash for each weight.
    """
    values: dict[str, float] = {}
    for name, device in DEVICES.items():
        costs = [_cost(PositType(n, es), device, columns) for columns in (SHORT, LONG)]
        product = (costs[1]["time"] - costs[0]["time"]) / ROWS / (LONG - SHORT)
        values[f"{name}_product"] = round(product, 1)
        values[f"{name}_rest"] = round(costs[0]["time"] / ROWS - product * SHORT)
        values[f"{name}_flash"] = round(costs[0]["flash"])
        values["bins"] = costs[0]["bins"]
        more = costs[1]["flash"] - costs[0]["flash"]
        values["weight"] = round(more / ROWS / (LONG - SHORT))
    return values


def _cost(format: PositType, device: str, columns: int) -> dict[str, float]:
    """The cost of a product of matrices: the time of an inference, the flash, and the bytes of the quire."""
    random = np.random.default_rng(1)
    weights = format.encode(random.normal(size=(ROWS, columns)) * 2.0 ** random.integers(-4, 3, (ROWS, columns)))
    x, y = f"tensor<{columns}x1x{format}>", f"tensor<{ROWS}x1x{format}>"
    text = f"""
        func.func @sums(%x: {x}) -> {y} {{
          %w = tdsl.const dense<{weights.tolist()}>
            : tensor<{ROWS}x{columns}x{format.storage}> -> tensor<{ROWS}x{columns}x{format}>
          %y = tdsl.matmul %w, %x : tensor<{ROWS}x{columns}x{format}>, {x} -> {y}
          func.return %y : {y}
        }}"""
    module = Parser(context(), text).parse_module()
    ChooseAccumulatorsPass().apply(context(), module)
    [quire] = [op.properties["acc"] for op in module.walk() if op.name == "tdsl.matmul"]
    assert isinstance(quire, QuireType)
    inputs = format.encode(np.random.default_rng(5).normal(size=(2, columns)))
    with tempfile.TemporaryDirectory() as folder:
        source, runner = printed(module, device, Path(folder, "c")), runner_for(device)
        build = runner.build(source, interface_of(module), Path(folder, "b"))
        cycles = runner.run(build, interface_of(module), inputs).cycles
        assert cycles is not None
    return {"time": float(cycles.mean()), "flash": build.flash_bytes, "bins": quire.bits // 8 + 1}
