"""Functions that harm their process as a library may do when it reads a damaged file."""

from __future__ import annotations

import os
import signal
import time

from tinyml.dialects.errors import InputError
from tinyml.dialects.limits import ELEMENT_LIMIT


def reverse(content: bytes, word: str) -> bytes:
    os.write(1, b"printed by a library")
    return content[::-1] + f" {word} {ELEMENT_LIMIT.get()}".encode()


def refuse(content: bytes) -> bytes:
    raise InputError(f"{len(content)} bytes are too few", file="elsewhere")


def crash(content: bytes) -> bytes:
    os.kill(os.getpid(), signal.SIGSEGV)
    return content


def leave(content: bytes) -> bytes:
    os._exit(3)


def wait(content: bytes) -> bytes:
    time.sleep(100)
    return content


def grow(content: bytes) -> bytes:
    return bytes(1 << 44)


def fail(content: bytes) -> bytes:
    raise KeyError("a field")
