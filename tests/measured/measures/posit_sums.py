"""Sums of products of standard posits in a quire: the cost per product, and the cost per sum."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from programs.on_boards import printed
from xdsl.parser import Parser

from measured.store import Values
from tinyml.dialects.context import context
from tinyml.dialects.formats.number_format import Raws
from tinyml.dialects.formats.posit.quire import QuireType
from tinyml.dialects.formats.posit.type import PositType
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.model_interface import interface_of
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass

ROWS, SHORT, LONG = 2, 60, 160
"""Of two matrices, whose difference is what products cost."""

DEVICES = {"uno": "uno", "m4": "cortex-m4"}


def posit_sums(n: int, es: int) -> Values:
    """The cost of sums of products of posits on an ATmega in cycles and on a Cortex-M4 in instructions.

    `_product`: the cost of a product of a weight that is unpacked at compile time, including the decoding of the other
    factor.
    `_both`: the cost of a product of two numbers in RAM, including the decoding of both.
    `_rest`: the cost of a sum without its products.
    `_flash`: the bytes of a program with short rows, including its functions for floats and its weights.
    `bins`: the bytes of the quire in memory, including the flag for NaR.
    `weight`: the bytes of flash for each weight.
    """
    values: dict[str, float] = {}
    format = PositType(n, es)
    for name, device in DEVICES.items():
        costs = [_cost(*_weighted(format, length), device) for length in (SHORT, LONG)]
        product = (costs[1]["time"] - costs[0]["time"]) / ROWS / (LONG - SHORT)
        values[f"{name}_product"] = round(product, 1)
        both = [_cost(*_unweighted(format, length), device) for length in (SHORT, LONG)]
        assert both[0]["layout"] == both[1]["layout"]
        values[f"{name}_both"] = round((both[1]["time"] - both[0]["time"]) / (LONG - SHORT), 1)
        values[f"{name}_rest"] = round(costs[0]["time"] / ROWS - product * SHORT)
        values[f"{name}_flash"] = round(costs[0]["flash"])
        values["bins"] = costs[0]["bins"]
        more = costs[1]["flash"] - costs[0]["flash"]
        values["weight"] = round(more / ROWS / (LONG - SHORT))
    return values


def _weighted(format: PositType, length: int) -> tuple[str, Raws]:
    """A program for the product of a constant matrix of `ROWS` rows and a vector, and two inputs."""
    random = np.random.default_rng(1)
    weights = format.encode(random.normal(size=(ROWS, length)) * 2.0 ** random.integers(-4, 3, (ROWS, length)))
    x, y = f"tensor<{length}x1x{format}>", f"tensor<{ROWS}x1x{format}>"
    text = f"""
        func.func @sums(%x: {x}) -> {y} {{
          %w = tdsl.const dense<{weights.tolist()}>
            : tensor<{ROWS}x{length}x{format.storage}> -> tensor<{ROWS}x{length}x{format}>
          %y = tdsl.matmul %w, %x : tensor<{ROWS}x{length}x{format}>, {x} -> {y}
          func.return %y : {y}
        }}"""
    return text, _inputs(format, length)


def _unweighted(format: PositType, length: int) -> tuple[str, Raws]:
    """A program for the scalar product of the two halves of a vector, and two inputs."""
    x, half, y = (f"tensor<{size}x1x{format}>" for size in (2 * length, length, 1))
    row = f"tensor<1x{length}x{format}>"
    text = f"""
        func.func @sums(%x: {x}) -> {y} {{
          %none = arith.constant 0 : index
          %middle = arith.constant {length} : index
          %first = tdsl.slice %x[%none, %none] : {x} -> {half}
          %second = tdsl.slice %x[%middle, %none] : {x} -> {half}
          %row = tdsl.reshape %first : {half} -> {row}
          %y = tdsl.matmul %row, %second : {row}, {half} -> {y}
          func.return %y : {y}
        }}"""
    return text, _inputs(format, 2 * length)


def _inputs(format: PositType, length: int) -> Raws:
    return format.encode(np.random.default_rng(5).normal(size=(2, length)))


def _cost(text: str, inputs: Raws, device: str) -> dict[str, float]:
    """The cost of a program: the time of an inference, the flash, the bytes of the quire and the width of its bins."""
    module = Parser(context(), text).parse_module()
    ChooseAccumulatorsPass().apply(context(), module)
    [quire] = [op.properties["acc"] for op in module.walk() if op.name == "tdsl.matmul"]
    assert isinstance(quire, QuireType)
    with tempfile.TemporaryDirectory() as folder:
        source, runner = printed(module, device, Path(folder, "c")), runner_for(device)
        build = runner.build(source, interface_of(module), Path(folder, "b"))
        cycles = runner.run(build, interface_of(module), inputs).cycles
        assert cycles is not None
    sizes = {"bins": quire.bits // 8 + 1, "layout": quire.layout.bin}
    return {"time": float(cycles.mean()), "flash": build.flash_bytes, **sizes}
