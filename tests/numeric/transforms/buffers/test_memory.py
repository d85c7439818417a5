"""Memory of trained models after compilation: packings are proved optimal, and the object file reserves exactly the
size of the packing.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from programs.compiled import CompiledModels, compile_without_pictures, some_samples
from programs.devices import DEVICES, roomy
from programs.paths import MODELS
from programs.spread import spread
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.scratch import ArenaOp
from tinyml.lowering import pipelines
from tinyml.runtime.devices.toolchain import call_tool
from tinyml.runtime.model.data import load_data
from tinyml.targets.c.print_c import write_c
from tinyml.targets.registry import DEFAULT_TARGET, board, chip_of
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.measure import run_on_device
from tinyml.tools.driver.program_in_folder import program_in
from tinyml.tools.driver.request import Request, SearchRequest
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.transforms.buffers.check_packing import CheckPackingPass
from tinyml.transforms.buffers.pack_scratch import PackScratchPass


def compiled(name: str, width: int | None, out: Path, **more: Any) -> dict[str, Any]:
    val = some_samples(MODELS[name], out.with_suffix(".npz"))
    return compile_without_pictures(Request(model=MODELS[name], val=val, width=width, out=out, **more))


def arena_in_the_object(folder: Path, name: str, scratch: Path) -> int:
    """The size in bytes of the symbol `NAME_arena` in the object file."""
    made = scratch / "m.o"
    call_tool(chip_of(DEFAULT_TARGET), "cc", ["-mmcu=atmega328p", "-Os", "-c", folder / f"{name}.c", "-o", made])
    symbols = call_tool(chip_of(DEFAULT_TARGET), "nm", ["-S", made])
    [size] = re.findall(rf"^[0-9a-f]+ ([0-9a-f]+) b {name}_arena$", symbols, re.MULTILINE)
    return int(size, 16)


def pack_again(formats: ModuleOp, mode: str, name: str, folder: Path) -> ArenaOp:
    """Write the C of a program at L1 whose buffers are packed by the packer `mode`, and return the arena."""
    ctx, module = context(), formats.clone()
    passes = [
        step
        for pipeline in ("formats-to-buffers", "buffers-to-loops", "loops-to-bits", "bits-to-c")
        for step in pipelines.flatten(pipeline, {"target": "uno"})
    ]
    packed = passes.index(CheckPackingPass())
    passes[passes.index(PackScratchPass())] = PackScratchPass(packer=mode)
    pipelines.run(module, ctx, passes[:packed])
    arena = next(op for op in module.clone().walk() if isinstance(op, ArenaOp))
    pipelines.run(module, ctx, passes[packed:])
    write_c(module, ctx, "uno", folder)
    return arena


@pytest.mark.long
@pytest.mark.parametrize("width", [8, 16])
@pytest.mark.parametrize("name", MODELS)
def test_the_arena_is_optimal_and_what_the_linker_reserves(
    name: str, width: int, compiled_models: CompiledModels, tmp_path: Path
):
    folder = compiled_models.folder(name, "fixed", width, board(roomy(DEFAULT_TARGET)))
    report = json.loads((folder / "report.json").read_text())
    buffers = (folder / "ir/2-buffers.mlir").read_text()
    [(bound, height)] = re.findall(r"lower_bound = (\d+) : i64} : memref<(\d+)xi8>", buffers)
    assert bound == height
    assert arena_in_the_object(folder, report["name"], tmp_path) == int(height) == report["ram_bytes"]["arena"]


@pytest.mark.long
@pytest.mark.parametrize("name", spread(["bonsai", "protonn"], 1))
def test_modes_on_mixed_widths(name: str, tmp_path: Path):
    """With each of three packers, the arena in the object file has the size of the packing, and the device computes the
    evaluator's bits. The packing by `auto` is proved optimal and is no larger than that of `shiftry`, which moves
    buffers. The stack has the same size with `auto` and with `first-fit`.
    """
    report = compiled(name, None, tmp_path / "out", search=SearchRequest("demote", {"jobs": 1}))
    formats = Parser(context(), (tmp_path / "out/ir/1-formats.mlir").read_text()).parse_module()
    arenas: dict[str, ArenaOp] = {}
    stacks: dict[str, int] = {}
    for mode in ("auto", "first-fit", "shiftry"):
        arenas[mode] = pack_again(formats, mode, report["name"], tmp_path / mode)
        assert arena_in_the_object(tmp_path / mode, report["name"], tmp_path) == arenas[mode].size
        inputs = load_data(str(MODELS[name].parent / "val.npz")).x[:2]
        measured, mismatch = run_on_device(tmp_path / mode, formats, inputs, target="uno")
        assert mismatch is None
        stacks[mode] = measured.stack_bytes
    bound = arenas["auto"].lower_bound
    assert bound is not None
    assert bound.value.data == arenas["auto"].size
    assert report["ram_bytes"]["arena"] == arenas["auto"].size <= arenas["shiftry"].size
    assert report["ram_bytes"]["stack"] == stacks["auto"] == stacks["first-fit"]


@pytest.mark.long
def test_the_arena_holds_the_input(tmp_path: Path):
    before = compiled("protonn", 16, tmp_path / "before")
    after = compiled("protonn", 16, tmp_path / "after", reuse_input=True)
    assert after["ram_bytes"]["input"] == 0
    assert after["ram_bytes"]["static"] == after["ram_bytes"]["arena"] < before["ram_bytes"]["static"]
    assert after["accuracy"] == before["accuracy"]
    header = (tmp_path / "after/protonn_gesturepod.h").read_text()
    assert "int16_t *protonn_gesturepod_input(void);" in header
    assert "int16_t protonn_gesturepod_predict(void);" in header
    data, folder = MODELS["protonn"].parent / "val.npz", tmp_path / "after"
    program = program_in(folder)
    for device in spread(DEVICES, 3):
        assert run_model(RunRequest(folder=folder, data=data, device=device, limit=5), program)["mismatch"] is None


NETWORK = """
func.func @image(%X: tensor<1x8x8x3x!fixed.q<{bits}, 4>>) -> tensor<1x3x3x4x!fixed.q<8, 3>> {{
  %W = tdsl.const dense<"{weights}"> : tensor<4x3x3x3xi8> -> tensor<4x3x3x3x!fixed.q<8, 7>>
  %y = tdsl.conv2d %W, %X {{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}} \
    : tensor<4x3x3x3x!fixed.q<8, 7>>, tensor<1x8x8x3x!fixed.q<{bits}, 4>> -> tensor<1x6x6x4x!fixed.q<8, 3>>
  %p = tdsl.max_pool %y {{kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>}} \
    : tensor<1x6x6x4x!fixed.q<8, 3>> -> tensor<1x3x3x4x!fixed.q<8, 3>>
  func.return %p : tensor<1x3x3x4x!fixed.q<8, 3>>
}}
"""


@pytest.mark.long
@pytest.mark.parametrize(("bits", "height"), [(8, 216), (9, 263)], ids=["bytes", "packed"])
def test_results_overlap_the_input(bits: int, height: int, tmp_path: Path):
    """For a convolution and a pool, the arena takes 216 bytes, or 263 with packed elements. It is smaller than the sum
    of its buffers, since results overlap the image. The image has 192 (packed 216) bytes, the result of the
    convolution 144 and the window 27.
    """
    weights = "0x" + random.Random(1).randbytes(108).hex()
    (tmp_path / "image.mlir").write_text(NETWORK.format(weights=weights, bits=bits))
    request = Request(model=tmp_path / "image.mlir", out=tmp_path / "out", reuse_input=True, pack_buffers=bits == 9)
    report = compile_model(request)
    assert report["ram_bytes"]["arena"] == report["ram_bytes"]["static"] == height
    # Compiling ran the usual board; the others take turns.
    assert report["mismatch"] is None
    for device in [one for one in DEVICES if one != DEFAULT_TARGET][bits == 9 :: 2]:
        ran = run_model(RunRequest(folder=tmp_path / "out", data=tmp_path / "out/samples.npz", device=device))
        assert ran["mismatch"] is None


@pytest.mark.long
def test_the_input_moves_into_the_arena_of_a_small_board(tmp_path: Path):
    """On an Uno, whose 2 KB of RAM do not hold an image of 1,200 bytes and a separate arena of 1,200 bytes, the image
    is in the arena. On a Cortex-M4 it is not.
    """
    program = """
        func.func @large(%X: tensor<1200x!fixed.q<8, 4>>) -> tensor<1200x!fixed.q<8, 4>> {
          %y = tdsl.neg %X : tensor<1200x!fixed.q<8, 4>> -> tensor<1200x!fixed.q<8, 4>>
          func.return %y : tensor<1200x!fixed.q<8, 4>>
        }"""
    (tmp_path / "large.mlir").write_text(program)
    reports = {
        target: compile_model(Request(model=tmp_path / "large.mlir", out=tmp_path / target, target=target))
        for target in ("uno", "cortex-m4")
    }
    assert {target: report["reuse_input"] for target, report in reports.items()} == {"uno": True, "cortex-m4": False}
    assert reports["uno"]["ram_bytes"]["static"] == 1200
