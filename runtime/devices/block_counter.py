"""The count of instructions and cycles of the basic blocks that an emulator enters."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.toolchain import compiled_tool

_Other = ctypes.CFUNCTYPE(None)


class _TableRow(ctypes.Structure):
    """A row of the table of steps; `tm_step` in block_counter.c."""

    _fields_ = (
        ("address", ctypes.c_uint64),
        ("size", ctypes.c_uint32),
        ("from_block", ctypes.c_uint32),
        ("to_block", ctypes.c_uint32),
        ("instructions", ctypes.c_uint32),
        ("cycles", ctypes.c_uint32),
    )


class _Counts(ctypes.Structure):
    """The counts, and the table that the C hook reads; `tm_counts` in block_counter.c."""

    _fields_ = (
        ("executed", ctypes.c_uint64),
        ("cycles", ctypes.c_uint64),
        ("limit", ctypes.c_uint64),
        ("steps", ctypes.c_void_p),
        ("other", _Other),
        ("address", ctypes.c_uint64),
        ("size", ctypes.c_uint32),
        ("at", ctypes.c_uint32),
        ("mask", ctypes.c_uint32),
        ("entered", ctypes.c_uint32),
    )


class CodeBlock(NamedTuple):
    """A basic block, entered only at its start: the addresses of its instructions and its cycles.

    after: the address following the block; None for a block of the harness, which has no instructions.
    """

    instructions: Sequence[int]
    cycles: int
    after: int | None


class Step(NamedTuple):
    """A transition between blocks.

    to: the number of the entered block. instructions, cycles: its costs, including the refill after a taken branch.
    special: true if the entered block requests an input row or lies outside the program.
    """

    to: int
    instructions: int
    cycles: int
    special: bool


class BlockCounter:
    """A counter of instructions and cycles, from 0 after `restart`.

    decode: returns the block at an address, of a size in bytes. refill: extra cycles of a taken branch. special: true
    if entering the block at an address takes more than counting. Blocks are numbered from 1; the program starts in 0.
    """

    def __init__(
        self, decode: Callable[[int, int], CodeBlock], refill: int, special: Callable[[int], bool], limit: int
    ) -> None:
        self._decode, self._refill, self._special = decode, refill, special
        self._counts = _Counts(limit=limit)
        self._known: list[CodeBlock] = [CodeBlock((), 0, None)]
        self._numbers: dict[tuple[int, int], int] = {}
        self._steps: dict[tuple[int, int, int], Step] = {}
        self._rows: list[_TableRow] = []
        self._library: ctypes.CDLL | None = None
        self._error: BaseException | None = None

    @property
    def executed(self) -> int:
        return int(self._counts.executed)

    @property
    def cycles(self) -> int:
        return int(self._counts.cycles)

    @property
    def at(self) -> CodeBlock:
        """The block entered last."""
        return self._known[int(self._counts.at)]

    @property
    def blocks(self) -> dict[tuple[int, int], CodeBlock]:
        """The blocks entered so far, by address and size."""
        return {key: self._known[number] for key, number in self._numbers.items()}

    def restart(self) -> None:
        self._counts.executed = self._counts.cycles = 0

    def enter(self, address: int, size: int) -> bool:
        """Count the entry of a block; true if the step is special."""
        counts = self._counts
        key = counts.at, address, size
        if (step := self._steps.get(key)) is None:
            step = self._steps[key] = self._new_step(address, size)
        counts.at = step.to
        counts.executed += step.instructions
        counts.cycles += step.cycles
        return step.special

    def attach(self, emulator: Any, unicorn: Any, other: Callable[[int, int], None]) -> bool:
        """Let C count all steps known not to be special, and call `other` for the rest; false without a C compiler.

        unicorn: the imported module of the emulator. An error in `other` stops the emulator; `check` raises it.
        """
        if (library := counting_library()) is None:
            return False
        self._library = library
        self._calls = self._guarded(other, emulator.emu_stop)
        next(self._calls)
        self._counts.other = _Other(self._calls.__next__)
        self._enlarge(1 << 10)
        # Unicorn's own `hook_add` only takes Python functions.
        binding = unicorn.unicorn_py3.unicorn
        handle = ctypes.c_size_t()
        status = binding.uclib.uc_hook_add(
            emulator._uch,
            ctypes.byref(handle),
            unicorn.UC_HOOK_BLOCK,
            ctypes.cast(library.tm_on_block, ctypes.c_void_p),
            ctypes.cast(ctypes.pointer(self._counts), ctypes.c_void_p),
            ctypes.c_uint64(1),
            ctypes.c_uint64(0),
        )
        if status != unicorn.UC_ERR_OK:
            raise unicorn.UcError(status)
        return True

    def check(self) -> None:
        """Raise the error that stopped the emulator, if any."""
        if self._error is not None:
            raise self._error

    def _guarded(self, other: Callable[[int, int], None], stop: Callable[[], None]) -> Generator[None, None, None]:
        """Call `other` at each step with the block that C has reached; keep the first error, which C would lose.

        An exception of a signal handler is raised when a function is entered, before its first statement, where no
        `try` could catch it; a generator is resumed inside its `try`.
        """
        while True:
            try:
                yield
                other(self._counts.address, self._counts.size)
            except GeneratorExit:
                raise
            except BaseException as error:
                self._error = self._error or error
                stop()

    def _new_step(self, address: int, size: int) -> Step:
        """Record the transition from the current block to the block at `address`, on its first occurrence."""
        number = self._numbers.get((address, size))
        if number is None:
            number = self._numbers[address, size] = len(self._known)
            self._known.append(self._decode(address, size))
        block = self._known[number]
        refill = self._refill if self.at.after not in (None, address) else 0
        step = Step(number, len(block.instructions), block.cycles + refill, self._special(address))
        if self._library is not None and not step.special:
            self._rows.append(_TableRow(address, size, self._counts.at, step.to, step.instructions, step.cycles))
            if 2 * len(self._rows) > self._counts.mask:
                self._enlarge(2 * self._counts.mask + 2)
            else:
                self._library.tm_add(ctypes.byref(self._counts), ctypes.byref(self._rows[-1]))
        return step

    def _enlarge(self, rows: int) -> None:
        """Rebuild the table of steps with `rows` rows, a power of two."""
        assert self._library is not None
        self._table = (_TableRow * rows)()
        self._counts.steps = ctypes.addressof(self._table)
        self._counts.mask = rows - 1
        for row in self._rows:
            self._library.tm_add(ctypes.byref(self._counts), ctypes.byref(row))


@cache
def counting_library() -> ctypes.CDLL | None:
    """The compiled block_counter.c; None where the host has no C compiler."""
    try:
        library = ctypes.CDLL(str(compiled_tool(Path(__file__).with_name("block_counter.c"), "-shared", "-fPIC")))
    except (InputError, OSError):
        return None
    library.tm_add.restype = None
    return library
