"""A child process in which third-party libraries parse files that may be damaged or malicious.

A parser written in C++ may crash on such a file, overwrite memory or allocate without limit. The child process has
limits on memory and time, and each of these failures becomes one error message about the file. Only bytes cross the
process boundary: the child receives the file, and returns a model in a format that tinyml parses itself.
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
"""A function from a file's content, and further string arguments, to the content of a file that tinyml reads.

Raises `InputError`.
"""

_MIN_MEMORY, _MEMORY_PER_BYTE = 4 << 30, 64
"""The number of bytes that a child may allocate for the library itself, and the number for each byte of the file."""

_RESULT, _MESSAGE, _DEFECT = b"+", b"-", b"!"
"""The first byte of a child's output, which identifies a result, an error message or a traceback."""


def converted(convert: Convert, content: bytes, *words: str, library: str, seconds: int, file: str) -> bytes:
    """Call a function on the content of a file in a child process, and return its result.

    convert: a module-level function, which the child imports.
    words: further arguments of the function.
    library: the name of the library that the function calls, for messages.
    seconds: the time limit.

    Raises `InputError` if the function raises one, and for a child that crashes or exceeds the limits on memory or
    time. Raises `RuntimeError` with the child's traceback for any other exception.
    """
    memory = _MIN_MEMORY + _MEMORY_PER_BYTE * len(content)
    if (free := free_memory()) is not None:
        memory = min(memory, free)
    limits = [str(memory), str(seconds), str(ELEMENT_LIMIT.get())]
    # The child must not import modules from the current directory, so the import path is passed to it.
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
    """Apply the function that the command-line arguments name to standard input, and write its result to standard
    output.
    """
    module, name, memory, seconds, elements, *words = sys.argv[1:]
    # Output that libraries print must not mix with the result.
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Memory-mapped files do not count: TensorFlow maps gigabytes.
    resource.setrlimit(resource.RLIMIT_DATA, (int(memory), int(memory)))
    # The CPU limit covers all threads, in case the parent has died and no longer enforces the time.
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
    # The answer is complete, so threads and destructors of the libraries are skipped.
    os._exit(0)


def said(error: BaseException, path: str, file: str) -> str:
    """The message of a library's exception, in which the user's file name replaces the path of the temporary copy."""
    return squeeze(str(error).replace(path, file))


def _end(code: int) -> str:
    if code < 0:
        known = {number.value: number.name for number in signal.Signals}
        return known.get(-code, f"signal {-code}")
    return f"exit code {code}"
