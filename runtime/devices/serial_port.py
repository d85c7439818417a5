"""A serial port of a POSIX system, accessed without a third-party library."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any

from tinyml.dialects.errors import InputError


class SerialPort:
    """An open serial port.

    name: the name for messages.
    descriptor: the file descriptor of the port.
    """

    def __init__(self, name: str, descriptor: int) -> None:
        self._name, self._descriptor = name, descriptor

    def write(self, content: bytes, timeout: float) -> None:
        """Send the bytes `content`.

        Raises `InputError` if sending takes more than `timeout` seconds, or if the port was disconnected.
        """
        deadline = time.monotonic() + timeout
        while content:
            _, writable, _ = select.select([], [self._descriptor], [], max(0.0, deadline - time.monotonic()))
            if not writable:
                raise InputError(f"takes no bytes for {timeout:g} s", file=self._name)
            try:
                content = content[os.write(self._descriptor, content) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise self._gone(error) from error

    def read(self, timeout: float) -> bytes:
        """Wait up to `timeout` seconds for bytes, and return the received bytes. The result may be empty.

        Raises `InputError` if the port was disconnected.
        """
        readable, _, _ = select.select([self._descriptor], [], [], max(0.0, timeout))
        if not readable:
            return b""
        try:
            content = os.read(self._descriptor, 4096)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise self._gone(error) from error
        if not content:
            raise InputError("the board is disconnected", file=self._name)
        return content

    def _gone(self, error: OSError) -> InputError:
        return InputError(f"the board is disconnected: {error.strerror}", file=self._name)


@contextmanager
def open_port(name: str) -> Generator[SerialPort]:
    """A context with a serial port opened at 115200 baud, 8 bits, no parity, in raw mode.

    Raises `InputError` for a path that cannot be opened or is not a serial port, for a port that another program has
    locked, and on systems without termios.
    """
    try:
        import fcntl
        import termios
    except ImportError as error:
        raise InputError("--port needs a POSIX system, such as Linux or macOS") from error
    try:
        descriptor = os.open(name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError as error:
        raise InputError(f"cannot be opened: {error.strerror}", file=name) from error
    try:
        try:
            before = termios.tcgetattr(descriptor)
            _claim(fcntl, descriptor, name)
            _make_raw(termios, descriptor)
        except termios.error as error:
            raise InputError("is not a serial port", file=name) from error
        try:
            yield SerialPort(name, descriptor)
        finally:
            # The board may have been unplugged.
            with suppress(termios.error):
                termios.tcsetattr(descriptor, termios.TCSANOW, before)
    finally:
        os.close(descriptor)


def _claim(fcntl: Any, descriptor: int, name: str) -> None:
    """Acquire the advisory lock of a port. Raises `InputError` if another program has locked the port.

    fcntl: the Python module, which some systems do not have.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise InputError("another program uses the port", file=name) from error


def _make_raw(termios: Any, descriptor: int) -> None:
    """Set the speed and the raw mode of a port, and discard the bytes that wait in it.

    termios: the Python module, which some systems do not have.
    descriptor: the file descriptor of the port.
    """
    mode = termios.tcgetattr(descriptor)
    mode[0] = mode[1] = mode[3] = 0
    mode[2] = termios.CS8 | termios.CREAD | termios.CLOCAL
    mode[4] = mode[5] = termios.B115200
    mode[6][termios.VMIN], mode[6][termios.VTIME] = 0, 0
    termios.tcsetattr(descriptor, termios.TCSANOW, mode)
    termios.tcflush(descriptor, termios.TCIOFLUSH)
