"""Results of devices: a built program, what a run returned, where its time went."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tinyml.dialects.errors import InputError
from tinyml.dialects.layouts.packed_bits import pack_bits
from tinyml.runtime.model.interface import Interface

if TYPE_CHECKING:
    import numpy as np


class DeviceError(InputError):
    """A program did not run to its end on a device: it crashed, hung, or does not fit the chip."""


@dataclass(frozen=True)
class Build:
    """A linked program.

    `flash_bytes` is text + data of the ELF file (startup code and the harness, some dozens of bytes, included),
    `static_bytes` is .data + .bss, which includes the caller's input array X.
    """

    flash_bytes: int
    static_bytes: int
    elf: Path


@dataclass(frozen=True)
class RunResult:
    """Raw outputs and costs of a run over `samples` inputs.

    `labels` has shape (samples,) and `scores` (samples, output_length) in the element type of the interface; either is
    None where the model has none. `cycles` has shape (samples,), counts `unit` from the first instruction of
    `NAME_predict` to its return, and is None where the device has no counter. `stack_bytes` is the largest depth
    of the whole stack over all inferences, from its top at reset, so with the frame of main and the call.
    """

    labels: np.ndarray | None
    scores: np.ndarray | None
    cycles: np.ndarray | None
    unit: Literal["cycles", "instructions"]
    stack_bytes: int


@dataclass(frozen=True)
class Profile:
    """Where the time of an inference goes, mean over some inputs, in the device's unit.

    `spent[site, pc]` is what the instruction at `pc` took while `site` was the last instruction of `NAME_predict` to
    run before it: `pc` itself, or the call in which it ran. The sum is what `RunResult.cycles` counts.
    """

    result: RunResult
    spent: dict[tuple[int, int], float]


def raw_inputs(interface: Interface, inputs: np.ndarray) -> bytes:
    """The bytes of `inputs`, row after row, as the caller packs them.

    Raises InputError where shape or element type are not the interface's.
    """
    if inputs.ndim != 2 or inputs.shape[1] != interface.input_length:
        raise InputError(
            f"inputs of shape {inputs.shape} for '{interface.name}', which takes (samples, {interface.input_length})"
        )
    if inputs.dtype != interface.input_dtype:
        raise InputError(f"inputs of type {inputs.dtype} for '{interface.name}', which takes {interface.input_dtype}")
    if interface.packed_bits is None:
        return inputs.tobytes()
    return b"".join(pack_bits(row, interface.packed_bits).tobytes() for row in inputs)


def result_of_records(interface: Interface, records: bytes) -> RunResult:
    """Read what the driver of a device writes for each sample.

    A record is `int32 label; uint32 stack; uint64 cycles;` and the raw scores. All cycles 0 means no counter.
    """
    import numpy as np

    fields: list[tuple[str, str] | tuple[str, np.dtype, tuple[int]]] = [
        ("label", "<i4"),
        ("stack", "<u4"),
        ("cycles", "<u8"),
    ]
    if interface.output_dtype is not None:
        fields.append(("scores", interface.output_dtype, (interface.output_length,)))
    table = np.frombuffer(records, dtype=np.dtype(fields))
    return RunResult(
        labels=table["label"].astype(np.int64) if interface.has_label else None,
        scores=table["scores"].copy() if interface.output_dtype is not None else None,
        cycles=table["cycles"].astype(np.int64) if table["cycles"].any() else None,
        unit="cycles",
        stack_bytes=int(table["stack"].max(initial=0)),
    )
