"""A program whose weights are in RAM, as in Gural and Murmann (section 5.1): the flash of the Uno contains neither the
weights nor the image.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import gural_murmann
from programs.simulated_board import compiled_board, simulated_board

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.serial_port import open_port
from tinyml.runtime.devices.streaming_board import INPUT, REFUSAL, FrameReader, frame
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.registry import board
from tinyml.tools.driver.compile_model import build_folder, compile_model
from tinyml.tools.driver.packages.packaging_table import packagings_for
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import load_program, print_ir

IMAGES = gural_murmann.images(np.load(gural_murmann.FOLDER / "test.npz")["x"])
RAM = 2048


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "network.mlir"
    path.write_text(print_ir(gural_murmann.program()))
    return path


@pytest.fixture(scope="module")
def compiled(model: Path) -> tuple[Path, dict[str, Any]]:
    """The output folder and the report of the network in 2 KB of RAM, streamed by pixels. Compilation compares its
    outputs with the evaluator's.
    """
    folder = model.parent / "out"
    request = Request(model=model, out=folder, reuse_input=True, pack_buffers=True, plan="pixels", load_weights=True)
    folder.mkdir()
    packagings = packagings_for(board("uno"), None, zipped=False, loaded=True)
    assert [packaging.name for packaging in packagings] == ["arduino"]
    return folder, build_folder(request, board("uno"), folder, must_fit=True, packagings=packagings).report.as_json()


@pytest.mark.long(seconds=5)
def test_weights_take_the_bytes_of_their_bits(compiled: tuple[Path, dict[str, Any]]):
    """The 4-bit weights and 8-bit biases have 1512.5 bytes in total. In RAM they take 1,519 bytes, since rows of
    filters are padded to whole bytes. With the activations they take 1,869 bytes, and the program without the sketch
    less than 3,100 bytes of flash.
    """
    folder, report = compiled
    content = (folder / "gural_mnist10.weights").read_bytes()
    assert len(content) == 1519
    assert report["constants_bytes"] == 0
    assert report["ram_bytes"]["static"] == 1519 + report["ram_bytes"]["arena"] == 1519 + 350 == 1869
    assert report["flash_bytes"] < 3100
    assert report["ram_bytes"]["total"] < 1970


@pytest.mark.long(seconds=5)
def test_bits_on_all_devices(compiled: tuple[Path, dict[str, Any]], tmp_path: Path):
    folder, _ = compiled
    interface, runner = interface_of(load_program(folder / "ir/1-formats.mlir", context())), HostRunner(sanitize=True)
    got = runner.run(runner.build(folder, interface, tmp_path), interface, IMAGES)
    np.testing.assert_array_equal(got.scores, gural_murmann.logits(IMAGES))
    np.savez(tmp_path / "images.npz", x=IMAGES[:1])
    for device in ("cortex-m4", "riscv"):
        assert run_model(RunRequest(folder=folder, data=tmp_path / "images.npz", device=device))["mismatch"] is None


@pytest.mark.long(seconds=5)
def test_everything_arrives_over_the_serial_line(compiled: tuple[Path, dict[str, Any]], tmp_path: Path):
    """An Uno receives weights and images over a serial line, and sends the logits. It rejects an image that arrives
    before the weights. Its 2 KB of RAM also contain the data of the serial line.

    More bytes of RAM remain free than the 2 that Gural and Murmann (section 5.1) report, with and without the stack of
    interrupts.
    """
    folder, _ = compiled
    np.savez(tmp_path / "images.npz", x=IMAGES[:1])
    elf = compiled_board(folder, tmp_path)
    with simulated_board(elf, tmp_path) as port:
        with open_port(port) as line:
            line.write(frame(INPUT, bytes(98)), 5)
            reader = FrameReader(100)
            while (answer := reader.next()) is None:
                arrived = line.read(20)
                assert arrived
                reader.add(arrived)
            assert (answer.kind, answer.content) == (REFUSAL, b"\x03")
        assert run_model(RunRequest(folder=folder, data=tmp_path / "images.npz", port=port))["mismatch"] is None
    static, stack = map(int, (tmp_path / "depth").read_text().split())
    assert RAM - static - stack > 2
    assert static < 1519 + 350 + 20


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"packages": ("cmake",)}, "--package cmake: its example does not receive the weights of --load-weights"),
        ({"input": "serial"}, "--load-weights: the sketch for rows receives no weights: use --input callback"),
        ({"instances": True}, "--load-weights: instances do not share what the caller writes: leave out --instances"),
    ],
)
def test_refusals(options: dict[str, Any], message: str, model: Path, tmp_path: Path):
    with pytest.raises(InputError, match=message):
        compile_model(Request(model=model, out=tmp_path / "out", load_weights=True, **options))
