"""The host's side of the serial protocol of a board that receives samples and returns answers. Both are sent in frames.

A frame consists of the byte 0xA5, a kind, a length of 4 bytes, the content, and a checksum of 2 bytes.
"""

from __future__ import annotations

import struct
import time
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.devices.device import DeviceError, raw_inputs
from tinyml.runtime.devices.serial_port import SerialPort
from tinyml.runtime.model.interface import Interface

if TYPE_CHECKING:
    from collections.abc import Callable


START = 0xA5

HELLO, INPUT, ANSWER, REFUSAL, WEIGHTS = "HXYEW"
"""Kinds of frames: a request for the greeting, and the greeting; an input; an answer; the reason for refusing one;
weights, and their receipt.
"""

_HEAD = struct.Struct("<cI")


def checksum(content: bytes) -> bytes:
    """Fletcher's 16-bit checksum of bytes."""
    low = high = 0
    for byte in content:
        low = (low + byte) % 255
        high = (high + low) % 255
    return bytes((low, high))


def frame(kind: str, content: bytes = b"") -> bytes:
    """Encode a frame: start byte, `kind` (one character), length, content and checksum."""
    body = _HEAD.pack(kind.encode(), len(content)) + content
    return bytes((START,)) + body + checksum(body)


@dataclass(frozen=True)
class Frame:
    """A received frame.

    kind: the kind, one character.
    content: the content.
    whole: true if the checksum is correct. Otherwise the kind and the content may be corrupted.
    """

    kind: str
    content: bytes
    whole: bool


@dataclass
class FrameReader:
    """A parser of frames from bytes that are received in pieces.

    longest: the number of bytes of the longest expected content.
    waiting: the received bytes that have not been parsed.

    Bytes outside frames, such as text of a boot loader, are skipped. A start byte is also skipped if an unknown kind or
    an impossible length follows.
    """

    longest: int
    waiting: bytearray = field(default_factory=bytearray)

    def add(self, arrived: bytes) -> None:
        self.waiting += arrived

    def next(self) -> Frame | None:
        """Remove the first frame from the received bytes and return it; None if no complete frame has been received."""
        while (at := self.waiting.find(START)) >= 0:
            del self.waiting[:at]
            if len(self.waiting) < 1 + _HEAD.size:
                return None
            kind, length = _HEAD.unpack_from(self.waiting, 1)
            if kind not in b"HYEW" or length > self.longest:
                del self.waiting[0]
                continue
            end = 1 + _HEAD.size + length
            if len(self.waiting) < end + 2:
                return None
            body, sums = bytes(self.waiting[1:end]), bytes(self.waiting[end : end + 2])
            del self.waiting[: end + 2]
            return Frame(kind.decode(), body[_HEAD.size :], sums == checksum(body))
        self.waiting.clear()
        return None


SKETCH = "Stream"
"""The sketch of a model's Arduino library that the board must run."""

_VERSION = 1
_GREETING = struct.Struct("<BIII")
_FRONT = struct.Struct("<iI")
_REQUEST_INTERVAL = 0.5
"""The interval in s between requests for the greeting of a board that may still be starting."""
_REASONS = {
    1: "the board received corrupted bytes",
    2: "the board expects a different input length",
    3: "the board has lost its weights, as after a reset",
}


def digest_of(source: str) -> int:
    """The 32-bit digest of a model's C source, by which a board identifies its program."""
    return zlib.crc32(source.encode())


def answer_bytes(interface: Interface) -> int:
    """The number of bytes of all outputs that the program computes for a sample."""
    more = zip(interface.more_dtypes, interface.more_outputs, strict=True)
    return interface.output_bytes + sum(dtype.itemsize * length for dtype, (_, length) in more)


@dataclass(frozen=True)
class BoardAnswers:
    """The answers of a board to several inputs.

    records: the records of all answers, one after the other, as `result_of_records` decodes them.
    microseconds: the time of each inference.
    """

    records: bytes
    microseconds: np.ndarray


@dataclass(frozen=True)
class StreamingBoard:
    """A board that runs the Arduino sketch of a model.

    port: the serial port to which the board is connected.
    name: the name of the board, for messages.
    interface: the interface of the model.
    timeout: the time in seconds to wait for the greeting and for each answer.
    """

    port: SerialPort
    name: str
    interface: Interface
    timeout: float

    @cached_property
    def _reader(self) -> FrameReader:
        return FrameReader(max(_GREETING.size, _FRONT.size + answer_bytes(self.interface)))

    def greeting(self, digest: int) -> None:
        """Wait for the board's greeting. Raises `InputError` if no greeting is received, or if the board runs another
        model.

        digest: the digest of the expected model (`digest_of`).

        Opening a port resets many boards, and their boot loaders discard received bytes. The request is therefore
        repeated.
        """
        deadline = time.monotonic() + self.timeout
        while (now := time.monotonic()) < deadline:
            self.port.write(frame(HELLO), self.timeout)
            answer = self._next(min(now + _REQUEST_INTERVAL, deadline))
            if answer is not None and answer.whole and answer.kind == HELLO and len(answer.content) == _GREETING.size:
                self._check(answer.content, digest)
                return
        raise self._error(f"no greeting within {self.timeout:g} s: upload the sketch {SKETCH} of the model's library")

    def _check(self, content: bytes, digest: int) -> None:
        version, received, inputs, outputs = _GREETING.unpack(content)
        if version != _VERSION:
            raise self._error(f"the board speaks version {version} of the protocol, expected {_VERSION}")
        if (received, inputs, outputs) != (digest, self.interface.input_bytes, answer_bytes(self.interface)):
            raise self._error(
                f"the board runs another model ({received:08x}, expected {digest:08x}): upload its sketch {SKETCH}"
            )

    def answers(self, inputs: np.ndarray, told: Callable[[int], None]) -> BoardAnswers:
        """Send inputs to the board, and return its answers.

        inputs: the raws of the inputs, of shape (samples, input_length).
        told: a function that is called after each answer with the number of answers.

        Raises `InputError` for inputs of the wrong shape or type, and `DeviceError` for a missing or corrupted
        answer.
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
        """Send the weights to a program that stores its weights in RAM. Raises `InputError` unless the board confirms
        that it has received them.
        """
        self.port.write(frame(WEIGHTS, weights), self.timeout)
        deadline = time.monotonic() + self.timeout
        while (received := self._next(deadline)) is not None:
            if received.whole and received.kind == WEIGHTS:
                return
            if received.kind != HELLO:
                raise self._error(f"weights: {self._reason(received)}")
        raise self._error(f"weights: no acknowledgement within {self.timeout:g} s")

    @staticmethod
    def _reason(refusal: Frame) -> str:
        return _REASONS.get(refusal.content[0] if refusal.content else 0, "the board rejected it")

    def _answer(self, sample: int, raw: bytes) -> tuple[int, int, bytes]:
        self.port.write(frame(INPUT, raw), self.timeout)
        deadline = time.monotonic() + self.timeout
        expected = _FRONT.size + answer_bytes(self.interface)
        while (received := self._next(deadline)) is not None:
            if not received.whole:
                raise self._error(f"sample {sample}: a corrupted answer (wrong checksum)")
            # Greetings to repeated requests may still arrive.
            if received.kind == HELLO:
                continue
            if received.kind == REFUSAL:
                raise self._error(f"sample {sample}: {self._reason(received)}")
            if received.kind != ANSWER or len(received.content) != expected:
                raise self._error(f"sample {sample}: an answer of {len(received.content)} bytes, not {expected}")
            label, microseconds = _FRONT.unpack_from(received.content)
            return label, microseconds, received.content[_FRONT.size :]
        raise self._error(f"sample {sample}: no answer within {self.timeout:g} s")

    def _next(self, deadline: float) -> Frame | None:
        """The next frame; None if no complete frame is received before the deadline.

        deadline: a time of the monotonic clock, in seconds.
        """
        while (frame := self._reader.next()) is None:
            if (left := deadline - time.monotonic()) <= 0:
                return None
            self._reader.add(self.port.read(left))
        return frame

    def _error(self, message: str) -> InputError:
        return DeviceError(message, file=self.name)
