"""A board that answers samples over a serial line."""

from __future__ import annotations

import struct
import time
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.devices.device import DeviceError, raw_inputs
from tinyml.runtime.devices.serial.frames import ANSWER, HELLO, INPUT, REFUSAL, WEIGHTS, Frame, FrameReader, frame
from tinyml.runtime.devices.serial.port import SerialPort
from tinyml.runtime.model.interface import Interface

if TYPE_CHECKING:
    from collections.abc import Callable

SKETCH = "Stream"
"""The sketch of a model's Arduino library that a board has to run."""

_VERSION = 1
_GREETING = struct.Struct("<BIII")
_FRONT = struct.Struct("<iI")
_AGAIN = 0.5
"""Seconds after which a board that may be starting is asked for its greeting again."""
_REASONS = {
    1: "the board got garbled bytes",
    2: "the board expects another length",
    3: "the board has lost its weights, as after a reset",
}


def digest_of(source: str) -> int:
    """A digest of 32 bits of a model's C, by which a board says what it runs."""
    return zlib.crc32(source.encode())


def answer_bytes(interface: Interface) -> int:
    """The bytes of all outputs of a sample."""
    more = zip(interface.more_dtypes, interface.more_outputs, strict=True)
    return interface.output_bytes + sum(dtype.itemsize * length for dtype, (_, length) in more)


@dataclass(frozen=True)
class BoardAnswers:
    """The answers of a board, as rows of records: label, microseconds and outputs (`result_of_records`)."""

    records: bytes
    microseconds: np.ndarray


@dataclass(frozen=True)
class StreamingBoard:
    """A board at a port that runs the sketch of a model. timeout: seconds to wait for the greeting and each answer."""

    port: SerialPort
    name: str
    interface: Interface
    timeout: float

    @cached_property
    def _reader(self) -> FrameReader:
        return FrameReader(max(_GREETING.size, _FRONT.size + answer_bytes(self.interface)))

    def greeting(self, digest: int) -> None:
        """Wait until the board greets; raises `InputError` if it does not, or runs another model.

        Opening a port resets many boards, and their boot loaders discard what arrives, so it is asked several times.
        """
        deadline = time.monotonic() + self.timeout
        while (now := time.monotonic()) < deadline:
            self.port.write(frame(HELLO), self.timeout)
            found = self._next(min(now + _AGAIN, deadline))
            if found is not None and found.whole and found.kind == HELLO and len(found.content) == _GREETING.size:
                self._check(found.content, digest)
                return
        raise self._error(f"no greeting within {self.timeout:g} s: upload the sketch {SKETCH} of the model's library")

    def _check(self, content: bytes, digest: int) -> None:
        version, found, inputs, outputs = _GREETING.unpack(content)
        if version != _VERSION:
            raise self._error(f"the board speaks version {version} of the protocol, expected {_VERSION}")
        if (found, inputs, outputs) != (digest, self.interface.input_bytes, answer_bytes(self.interface)):
            raise self._error(
                f"the board runs another model ({found:08x}, expected {digest:08x}): upload its sketch {SKETCH}"
            )

    def answers(self, inputs: np.ndarray, told: Callable[[int], None]) -> BoardAnswers:
        """The answers to raw inputs (samples, input_length). told: called with the number of answers after each.

        Raises `InputError` for inputs of the wrong shape or type, and `DeviceError` for an answer that does not come
        or is garbled.
        """
        raw, size = raw_inputs(self.interface, inputs), self.interface.input_bytes
        records = bytearray()
        times = np.zeros(len(inputs), np.int64)
        for sample in range(len(inputs)):
            label, times[sample], outputs = self._answer(sample, raw[sample * size :][:size])
            records += struct.pack("<iIQ", label, 0, int(times[sample])) + outputs
            told(sample + 1)
        return BoardAnswers(bytes(records), times)

    def load(self, weights: bytes) -> None:
        """Send the numbers that a model keeps in RAM; raises `InputError` if the board does not take them."""
        self.port.write(frame(WEIGHTS, weights), self.timeout)
        deadline = time.monotonic() + self.timeout
        while (found := self._next(deadline)) is not None:
            if found.whole and found.kind == WEIGHTS:
                return
            if found.kind != HELLO:
                raise self._error(f"weights: {self._reason(found)}")
        raise self._error(f"weights: no receipt within {self.timeout:g} s")

    @staticmethod
    def _reason(refusal: Frame) -> str:
        return _REASONS.get(refusal.content[0] if refusal.content else 0, "the board refuses it")

    def _answer(self, sample: int, raw: bytes) -> tuple[int, int, bytes]:
        self.port.write(frame(INPUT, raw), self.timeout)
        deadline = time.monotonic() + self.timeout
        expected = _FRONT.size + answer_bytes(self.interface)
        while (found := self._next(deadline)) is not None:
            if not found.whole:
                raise self._error(f"sample {sample}: a garbled answer (its checksum is wrong)")
            # A board that was asked for its greeting several times greets several times.
            if found.kind == HELLO:
                continue
            if found.kind == REFUSAL:
                raise self._error(f"sample {sample}: {self._reason(found)}")
            if found.kind != ANSWER or len(found.content) != expected:
                raise self._error(f"sample {sample}: an answer of {len(found.content)} bytes, not {expected}")
            label, microseconds = _FRONT.unpack_from(found.content)
            return label, microseconds, found.content[_FRONT.size :]
        raise self._error(f"sample {sample}: no answer within {self.timeout:g} s")

    def _next(self, deadline: float) -> Frame | None:
        """The next frame; None if none is complete before the deadline."""
        while (found := self._reader.next()) is None:
            if (left := deadline - time.monotonic()) <= 0:
                return None
            self._reader.add(self.port.read(left))
        return found

    def _error(self, message: str) -> InputError:
        return DeviceError(message, file=self.name)
