"""Results of devices: a built program, the outputs and costs of a run, and a profile."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.errors import InputError
from tinyml.dialects.layouts.packed_bits import pack_bits
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.model.interface import Interface


class DeviceError(InputError):
    """Raised if a program was not completed: it crashed, did not terminate, or does not fit the chip."""


class FullStackError(DeviceError):
    """Raised if the stack of a program overflowed into the static data, because the RAM is too small for both."""


@dataclass(frozen=True)
class Build:
    """A linked program.

    * flash_bytes: text + data of the ELF file. They include startup code and the harness, which is some dozens of
      bytes.
    * static_bytes: .data + .bss, which includes the caller's input array X.
    * elf: the ELF file.
    * weights: the bytes of constants that the program receives before the first inference (`--load-weights`).
    """

    flash_bytes: int
    static_bytes: int
    elf: Path
    weights: bytes = b""

    def ram_bytes(self, result: RunResult) -> int:
        """The RAM of the program in a run: its static data and the greatest depth of its stack."""
        return self.static_bytes + result.stack_bytes


@dataclass(frozen=True)
class RunResult:
    """Raw outputs and costs of a run over `samples` inputs.

    * labels: shape (samples,); None if the model has no labels.
    * scores: shape (samples, output_length), in the element type of the interface; None if the model has no scores.
    * cycles: shape (samples,); the time in `unit` from the first instruction of `NAME_predict` to its return; None if
      the device has no counter.
    * unit: the name of the unit, such as cycles or instructions.
    * stack_bytes: the greatest stack depth over all inferences, measured from the top of the stack at reset. It
      includes the frame of main and the call.
    * more: the outputs after the scores.
    * core_cycles: shape (samples,); the cycles of the core by the timing of the board, for the same instructions. None
      if the board has no timing.
    * longest: shape (samples,); for a streaming program, the maximum number of cycles between two parts of the input,
      including the answer. None for other programs.
    """

    labels: np.ndarray | None
    scores: np.ndarray | None
    cycles: np.ndarray | None
    unit: str
    stack_bytes: int
    more: tuple[np.ndarray, ...] = ()
    core_cycles: np.ndarray | None = None
    longest: np.ndarray | None = None


@dataclass(frozen=True)
class TimeProfile:
    """The time of an inference by instruction, as the mean over the inputs, in the device's unit.

    result: the result of the run.
    spent: the time for each pair (site, pc) of instructions. `pc` is the address of an instruction, and `site` is `pc`
        itself or, if the instruction was executed in a call, the address of the call in `NAME_predict`. The values add
        up to `RunResult.cycles`.
    """

    result: RunResult
    spent: dict[tuple[int, int], float]


def raw_inputs(interface: Interface, inputs: np.ndarray) -> bytes:
    """The bytes of `inputs`, row after row. Elements are packed if the interface specifies a packed input.

    Raises `InputError` if the shape or the element type does not match the interface.
    """
    if inputs.ndim != 2 or inputs.shape[1] != interface.input_length:
        raise InputError(
            f"inputs of shape {inputs.shape} for '{interface.name}', expected (samples, {interface.input_length})"
        )
    if inputs.dtype != interface.input_dtype:
        raise InputError(f"inputs of type {inputs.dtype} for '{interface.name}', which takes {interface.input_dtype}")
    if interface.packed_bits is None:
        return inputs.tobytes()
    rows = inputs.astype("i8") - interface.packed_offset
    return b"".join(pack_bits(row, interface.packed_bits).tobytes() for row in rows)


def result_of_records(interface: Interface, records: bytes, unit: str) -> RunResult:
    """The results of a run, decoded from the records that a device's driver writes, one record per sample.

    A record consists of `int32 label; uint32 stack; uint64 cycles;`, the raw scores and the other outputs. For a
    streaming program, `uint64 longest` follows.

    unit: the unit of cycles.

    A device without a counter writes 0 cycles in all records. `cycles` of the result is then None.
    """
    fields: list[tuple[str, str] | tuple[str, np.dtype, tuple[int]]] = [
        ("label", "<i4"),
        ("stack", "<u4"),
        ("cycles", "<u8"),
    ]
    if interface.output_dtype is not None:
        fields.append(("scores", interface.output_dtype, (interface.output_length,)))
    more = zip(interface.more_dtypes, interface.more_outputs, strict=True)
    fields += [(f"output_{i}", dtype, (length,)) for i, (dtype, (_, length)) in enumerate(more, 1)]
    if interface.pushes is not None:
        fields.append(("longest", "<u8"))
    table = np.frombuffer(records, dtype=np.dtype(fields))
    return RunResult(
        labels=table["label"].astype(np.int64) if interface.has_label else None,
        scores=table["scores"].copy() if interface.output_dtype is not None else None,
        cycles=table["cycles"].astype(np.int64) if table["cycles"].any() else None,
        unit=unit,
        stack_bytes=int(table["stack"].max(initial=0)),
        more=tuple(table[f"output_{i}"].copy() for i in range(1, len(interface.more_outputs) + 1)),
        longest=table["longest"].astype(np.int64) if interface.pushes is not None else None,
    )
