"""The packaging `circt`: the hardware module in CIRCT's dialects, and a testbench that verifies it on stored
samples.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from tinyml.dialects.context import context
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.devices.circt import PRINTER
from tinyml.runtime.devices.verilog_tools import HARNESS, LIMIT, port_bits, spelled
from tinyml.tools.cli.filled_templates import filled_templates
from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging
from tinyml.tools.driver.stages import load_program
from tinyml.tools.driver.upstream import circt_text

if TYPE_CHECKING:
    from tinyml.targets.board import Board


def _files(model: PackagedModel) -> dict[str, str]:
    name, interface = model.name, model.interface
    hardware = model.folder / "ir" / "5-hardware.mlir"
    # The folder may be a temporary one, from which the files are moved to their place.
    module = circt_text(load_program(hardware, context())).replace(str(hardware), f"ir/{hardware.name}")
    verilog = (model.folder / f"{name}.v").read_text("utf-8")
    label_bits = port_bits(verilog, "label")
    count, expected = model.samples, model.expected
    labels = np.full(count, -1) if expected.labels is None else expected.labels[:count]
    records = np.concatenate([*(part[:count] for part in expected.tensors), labels[:, None]], axis=1)
    words = {
        "name": name,
        "in_bits": str(port_bits(verilog, "in_data")),
        "out_bits": str(port_bits(verilog, "out_data")),
        "label_define": "" if label_bits is None else f" -DLABEL_BITS={label_bits}",
        "samples": str(count),
        "inputs": str(interface.input_length),
        "limit": str(LIMIT),
        # The cycle count of an inference follows its outputs.
        "record": str(records.shape[1] + 1),
    }
    templates = filled_templates(files("tinyml.tools.driver.packages") / "templates" / "circt", words)
    return {
        f"{name}.mlir": module,
        PRINTER.name: PRINTER.read_text("utf-8"),
        "bench.v": (HARNESS / "bench.v").read_text("utf-8"),
        "inputs.txt": spelled(model.raws[:count]).decode() + "\n",
        "expected.txt": spelled(records).decode() + "\n",
        **{str(path): text for path, text in templates},
    }


def _lacks(board: Board) -> str | None:
    return "is not programmable logic" if board.fabric is None else None


CIRCT = Packaging("circt", _files, _lacks, products=("*.vvp", "*.sv", "outputs.txt"))
"""The packaging: `make` in `circt/` prints the module with CIRCT and simulates it."""
