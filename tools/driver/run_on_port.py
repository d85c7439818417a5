"""Runs of compiled models on a connected board, whose raw outputs are compared with the evaluator's outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.device import result_of_records
from tinyml.runtime.devices.serial_port import open_port
from tinyml.runtime.devices.streaming_board import StreamingBoard, digest_of
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.chip import WEIGHTS
from tinyml.tools.driver.measure import Mismatch, first_mismatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.tools.driver.program_in_folder import ProgramInFolder


def run_on_port(
    found: ProgramInFolder, inputs: NDArray[Any], port: str, timeout: float, told: Callable[[int], None]
) -> tuple[Outputs, Mismatch | None, float | None]:
    """Send real inputs to a board and compare every raw output with the evaluator's output.

    port: the name of the serial port.
    timeout: seconds to wait for each answer.
    told: a function called after each answer, with the number of answers so far.

    Returns the outputs, the first output that differs or None, and the mean time of an inference in milliseconds by the
    board's clock; the time is None without inputs. Raises `InputError` for a model whose input arrives row by row, for
    a timeout that is not above 0, and if the board does not answer or runs another model.
    """
    formats, interface = found.formats, interface_of(found.formats)
    if interface.row_elements is not None:
        raise InputError("--port: the input arrives row by row; boards answer models whose input lies in RAM")
    if not timeout > 0:
        raise InputError(f"--timeout: expected seconds above 0, got {timeout:g}")
    raws = encode_inputs(formats, inputs)
    digest = digest_of(found.files[f"{found.name}.c"].decode())
    with open_port(port) as line:
        board = StreamingBoard(line, port, interface, timeout)
        board.greeting(digest)
        if weights := found.files.get(f"{found.name}{WEIGHTS}"):
            board.load(weights)
        streamed = board.answers(raws, told)
    result = result_of_records(interface, streamed.records, "microseconds")
    outputs = Outputs(result.labels, result.scores, result.more)
    mean = float(streamed.microseconds.mean()) / 1000 if len(inputs) else None
    return outputs, first_mismatch(evaluate(formats, raws), outputs), mean
