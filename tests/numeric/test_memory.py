"""Memory of real models as compiled: proven optimal, and exactly what the linker reserves."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tinyml.runtime.toolchain import call_tool
from tinyml.tools.compile_model import Request, compile_model
from tinyml.tools.run_model import RunRequest, run_model

ROOT = Path(__file__).parent.parent.parent
MODELS = {
    "fastgrnn": ROOT / "examples/fastgrnn-mnist16/fastgrnn_mnist16.sd",
    "protonn": ROOT / "examples/protonn-gesturepod/protonn_gesturepod.sd",
    "bonsai": ROOT / "tests/models/bonsai-mnist16/bonsai_mnist16.sd",
}


def compiled(name: str, width: int, out: Path, *, reuse_input: bool = False) -> dict[str, Any]:
    model = MODELS[name]
    val = model.parent / "val.npz"
    return compile_model(Request(model, val, None, "uno", None, "fixed", width, "-Os", out, reuse_input=reuse_input))


@pytest.mark.parametrize("width", [8, 16])
@pytest.mark.parametrize("name", MODELS)
def test_the_arena_is_optimal_and_what_the_linker_reserves(name: str, width: int, tmp_path: Path):
    report = compiled(name, width, tmp_path / "out")
    buffers = (tmp_path / "out/ir/2-buffers.mlir").read_text()
    assert "scratch.optimal" in buffers
    [height] = re.findall(r"scratch\.height = (\d+)", buffers)
    call_tool(
        "avr-", "gcc", ["-mmcu=atmega328p", "-Os", "-c", tmp_path / f"out/{report['name']}.c", "-o", tmp_path / "m.o"]
    )
    symbols = call_tool("avr-", "nm", ["-S", tmp_path / "m.o"])
    [size] = re.findall(r"^[0-9a-f]+ ([0-9a-f]+) b arena$", symbols, re.MULTILINE)
    assert int(size, 16) == int(height) == report["ram_bytes"]["arena"]


def test_the_callers_array_is_used_once_the_input_has_been_read(tmp_path: Path):
    before = compiled("protonn", 16, tmp_path / "before")
    after = compiled("protonn", 16, tmp_path / "after", reuse_input=True)
    assert after["ram_bytes"]["arena"] < before["ram_bytes"]["arena"]
    assert after["accuracy"] == before["accuracy"]
    header = (tmp_path / "after/protonn_gesturepod.h").read_text()
    assert "protonn_gesturepod_predict(int16_t *X);" in header
    data = MODELS["protonn"].parent / "val.npz"
    for device in ("host", "simavr", "cortex-m0", "cortex-m4"):
        assert run_model(RunRequest(tmp_path / "after", data, device, None, 5, "-Os"))["mismatch"] is None
