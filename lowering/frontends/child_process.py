"""A child process in which libraries of other languages read files that may be damaged, or made to attack them.

A reader written in C++ may crash on such a file, write to any memory or ask for all there is. In a process of its own,
with limits on memory and time, that is one line about the file. What crosses the border is bytes both ways: the file
goes in, a model in a form that tinyml reads itself comes out.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from importlib import import_module

from tinyml.dialects.errors import InputError, squeeze
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.runtime.model.memory import free_memory

Convert = Callable[..., bytes]
"""A function from a file's content, and words, to the content of a file that tinyml reads; raises `InputError`."""

_LEAST_MEMORY, _MEMORY_PER_BYTE = 4 << 30, 64
"""Bytes that a child may allocate: for the library itself, and for each byte of the file."""

_RESULT, _MESSAGE, _DEFECT = b"+", b"-", b"!"
"""The first byte of what a child writes."""


def converted(convert: Convert, content: bytes, *words: str, library: str, seconds: int, file: str) -> bytes:
    """What a function makes of the content of a file, in a process of its own.

    convert: a function of a module, which the child imports. words: its further arguments. library: whose reader it
    calls, for the message. seconds: the time that it may take. Raises `InputError` with the function's own message and
    for a child that crashes or exceeds its memory or time, and `RuntimeError`, with the child's traceback, for any
    other exception.
    """
    memory = _LEAST_MEMORY + _MEMORY_PER_BYTE * len(content)
    if (free := free_memory()) is not None:
        memory = min(memory, free)
    limits = [str(memory), str(seconds), str(ELEMENT_LIMIT.get())]
    # The folder that a command is called in is no place to import from, so that the path is handed over.
    start = "import sys; sys.path[:] = sys.argv.pop().split(sys.argv.pop()); from {} import serve; serve()"
    path = ["\n", "\n".join(entry for entry in sys.path if entry)]
    called = [convert.__module__, convert.__qualname__, *limits, *words, *path]
    command = [sys.executable, "-P", "-c", start.format(__name__), *called]
    try:
        done = subprocess.run(
            command, input=content, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=seconds
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(f"{library} does not read it within {seconds} s", file=file) from error
    kind, answer = done.stdout[:1], done.stdout[1:]
    if done.returncode == 0 and kind == _RESULT:
        return answer
    if done.returncode == 0 and kind == _MESSAGE:
        raise InputError(answer.decode("utf-8", "replace"), file=file)
    if done.returncode == 0 and kind == _DEFECT:
        raise RuntimeError(answer.decode("utf-8", "replace"))
    if done.returncode == -signal.SIGINT:
        raise KeyboardInterrupt
    raise InputError(f"{library} crashes when it reads it ({_end(done.returncode)}): the file is damaged", file=file)


def serve() -> None:
    """Run what the arguments name on the content from standard input, and write its result to standard output."""
    module, name, memory, seconds, elements, *words = sys.argv[1:]
    # What libraries print must not mix with the result.
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Mappings of files, of which TensorFlow has gigabytes, do not count.
    resource.setrlimit(resource.RLIMIT_DATA, (int(memory), int(memory)))
    # All threads together, for the case that nobody waits any longer.
    cpu = int(seconds) * (os.cpu_count() or 1)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
    ELEMENT_LIMIT.set(int(elements))
    content = sys.stdin.buffer.read()
    try:
        result = _RESULT + getattr(import_module(module), name)(content, *words)
    except InputError as error:
        result = _MESSAGE + error.message.encode("utf-8", "replace")
    except MemoryError:
        result = _MESSAGE + b"reading it takes more memory than there is"
    except Exception:
        result = _DEFECT + traceback.format_exc().encode("utf-8", "replace")
    answer.write(result)
    answer.flush()
    # The answer is complete: threads and destructors of the libraries have no part in it.
    os._exit(0)


def said(error: BaseException, path: str, file: str) -> str:
    """The message of a library, with the user's file in place of the temporary copy that it was given."""
    return squeeze(str(error).replace(path, file))


def _end(code: int) -> str:
    """How a process ended that wrote no answer."""
    if code < 0:
        known = {one.value: one.name for one in signal.Signals}
        return known.get(-code, f"signal {-code}")
    return f"exit code {code}"
