"""The base class of runners on the emulator `unicorn`. It counts instructions and cycles per basic block."""

from __future__ import annotations

import ctypes
import importlib
from abc import abstractmethod
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.package_metadata import install_command
from tinyml.runtime.devices.device import Build, DeviceError, FullStackError, RunResult, TimeProfile, raw_inputs
from tinyml.runtime.devices.runner import Runner
from tinyml.runtime.devices.toolchain import call_tool, compiled_tool, function_range, symbols
from tinyml.runtime.model.interface import Interface


@dataclass(frozen=True)
class Core:
    """An emulated core.

    * emulator: the emulator of unicorn.
    * pc, back, sp, arguments: the program counter, the register of the return address, the stack pointer and the
      registers of function arguments, by unicorn's numbers. The first argument register also contains the result of a
      function.
    * size_of: a function that returns the size in bytes of the instruction with a given first halfword.
    * code: the offset that is added to a function's address to call the function.
    * bits: the width of a register.
    * flash: the address and size in bytes of program memory.
    * ram: the address and minimum size in bytes of the memory for data and stack. The stack is at its end.
    * second: the address and size in bytes of the RAM for buffers that a program places in other memories.
    * devices: the sizes of other readable and writable memory regions, by address.

    All addresses and sizes are multiples of 4096.
    """

    emulator: Any
    pc: int
    back: int
    sp: int
    arguments: tuple[int, int]
    size_of: Callable[[int], int]
    code: int = 0
    bits: int = 32
    flash: tuple[int, int] = (0, 1 << 23)
    ram: tuple[int, int] = (0x20000000, 1 << 18)
    devices: dict[int, int] = field(default_factory=dict[int, int])
    second: tuple[int, int] = (0x30000000, 1 << 24)


class CodeCycles(Protocol):
    """The cycles of the code of a linked program.

    refill: the additional cycles of a taken branch, which refills the pipeline.
    """

    @property
    def refill(self) -> int: ...

    def block(self, addresses: Sequence[int]) -> int:
        """The cycles of the instructions at `addresses`, executed consecutively."""
        ...


@dataclass(frozen=True)
class EmulatorRunner(Runner):
    """The base class of runners on an emulated chip. The core defines the register width and the memory map.

    The instructions of an inference are counted exactly, from the first instruction of `NAME_predict` through its
    return. A runner with `code_cycles` also estimates cycles. More than `limit` instructions, an access to unmapped
    memory, an illegal instruction and a stack overflow raise `DeviceError`. A program that does not fit in the chip's
    memories raises `InputError` when it is linked.
    """

    limit: int = 4_000_000_000

    @abstractmethod
    def core(self, unicorn: Any) -> Core:
        """The description of this board's core, with unicorn's numbers of its registers.

        unicorn: the imported module, which is passed as Any because its type information is incomplete.
        """

    def code_cycles(self, elf: Path) -> CodeCycles | None:
        """The cycles of a linked program's code; None if the timing of the board's core is unknown."""
        return None

    def run(self, build: Build, interface: Interface, inputs: np.ndarray) -> RunResult:
        return self._run(_Machine(self, build, interface), interface, inputs)

    def profile(self, build: Build, interface: Interface, inputs: np.ndarray) -> TimeProfile:
        machine = _Machine(self, build, interface, profiled=True)
        result = self._run(machine, interface, inputs)
        spent: dict[tuple[int, int], float] = {}
        blocks = machine.counter.blocks
        for (site, *block), times in machine.entered.items():
            for pc in blocks[block[0], block[1]].instructions:
                key = (pc if site is None else site, pc)
                spent[key] = spent.get(key, 0) + times / len(inputs)
        return TimeProfile(result, spent)

    def _run(self, machine: _Machine, interface: Interface, inputs: np.ndarray) -> RunResult:
        raw = raw_inputs(interface, inputs)
        samples, size = len(inputs), interface.input_bytes
        labels = np.zeros(samples, dtype=np.int64)
        counts = np.zeros(samples, dtype=np.int64)
        core_cycles = np.zeros(samples, dtype=np.int64)
        scores: list[bytes] = []
        more: list[list[bytes]] = []
        longest = np.zeros(samples, dtype=np.int64)
        stack = 0
        for i in range(samples):
            labels[i], counts[i], depth, score, others = machine.infer(raw[i * size : (i + 1) * size])
            core_cycles[i], longest[i] = machine.core_cycles, machine.longest
            stack = max(stack, depth)
            scores.append(score)
            more.append(others)
        dtype = interface.output_dtype
        return RunResult(
            labels=labels if interface.has_label else None,
            scores=None
            if dtype is None
            else np.frombuffer(b"".join(scores), dtype=dtype).reshape(samples, interface.output_length),
            cycles=counts,
            unit="instructions",
            stack_bytes=stack,
            core_cycles=core_cycles if machine.timed else None,
            longest=longest if interface.pushes is not None else None,
            more=tuple(
                np.frombuffer(b"".join(outputs), dtype=dtype).reshape(samples, length)
                for dtype, (_, length), outputs in zip(
                    interface.more_dtypes, interface.more_outputs, zip(*more, strict=True), strict=True
                )
            ),
        )


class _Machine:
    """An emulated chip on which a program has been executed up to its first `tm_mark`.

    profiled: true to record the entries of blocks in `entered`.
    """

    def __init__(self, runner: EmulatorRunner, build: Build, interface: Interface, profiled: bool = False) -> None:
        elf = build.elf
        try:
            unicorn: Any = importlib.import_module("unicorn")
        except ImportError as error:
            raise InputError(f"the emulator 'unicorn' is not installed: {install_command('devices')}") from error
        self._error: type[Exception] = unicorn.UcError
        self._label = f"{interface.name} on {runner.name}"
        self._limit = runner.limit
        self._interface = interface
        self._symbols = symbols(runner.chip, elf)
        image_path = elf.with_suffix(".bin")
        call_tool(runner.chip, "objcopy", ["-O", "binary", elf, image_path])
        self._image = image_path.read_bytes()
        self._core = runner.core(unicorn)
        self._uc = self._core.emulator
        flash, flash_bytes = self._core.flash
        self._uc.mem_map(flash, flash_bytes, unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC)
        start, size = self._core.ram
        ram = start, max(size, self._symbols["tm_stack_top"] - start + 0xFFF & ~0xFFF)
        for start, size in (ram, self._core.second, *self._core.devices.items()):
            self._uc.mem_map(start, size, unicorn.UC_PROT_READ | unicorn.UC_PROT_WRITE)
        self._uc.mem_write(flash, self._image)
        self._program = range(flash, flash + len(self._image))
        self._code_cycles = runner.code_cycles(elf)
        self.timed = self._code_cycles is not None
        self.core_cycles = 0
        """The cycles of the last inference; undefined unless `timed` is set."""
        refill = self._code_cycles.refill if self._code_cycles else 0
        self.counter = BlockCounter(self._block, refill, self._is_special, runner.limit)
        self.longest = self._part = 0
        """The greatest number of instructions between two parts of the input, and that before the current part."""
        self.entered: dict[tuple[int | None, int, int], int] = {}
        """Executions by site, address and size of a block. site: the last profiled instruction before it or None."""
        self._inferring = False
        self._site = 0
        self._profiled = function_range(runner.chip, elf, *interface.profiled)
        if profiled:
            self._uc.hook_add(unicorn.UC_HOOK_BLOCK, self._on_profiled_block)
        elif not self.counter.attach(self._uc, unicorn, self._enter):
            self._uc.hook_add(unicorn.UC_HOOK_BLOCK, self._on_block)
        self._uc.reg_write(self._core.sp, self._symbols["tm_stack_top"])
        self._raw, self._received, self._paint = b"", 0, b""
        self._row = self._address(self._symbols[f"{interface.name}_row"]) if interface.row_length else None
        self._input = self._run_to_mark(self._symbols["tm_reset"])
        if build.weights:
            # The first mark reports the address of the weights.
            self._uc.mem_write(self._input, build.weights)
            self._input = self._return_to_mark()

    def infer(self, raw: bytes) -> tuple[int, int, int, bytes, list[bytes]]:
        """Run an inference on the raw input and return its results.

        The results are the label, the number of executed instructions, the stack depth in bytes, the raw scores and the
        other outputs.

        Raises `FullStackError` for a stack overflow into the static data, and `DeviceError` for any other failure.
        """
        free, top = self._symbols["tm_bss_end"], self._symbols["tm_stack_top"]
        unused: int = self._uc.reg_read(self._core.sp) - free
        if not self._interface.row_length:
            self._uc.mem_write(self._input, raw)
        self._raw, self._received, self.longest, self._part = raw, 0, 0, 0
        if len(self._paint) != unused:
            self._paint = bytes([_PAINT]) * unused
        self._uc.mem_write(free, self._paint)
        self._inferring = True
        label = self._return_to_mark()
        self._inferring = False
        executed, self.core_cycles = self.counter.executed, self.counter.cycles
        self._end_part()
        if self._interface.row_length and self._received != len(raw):
            raise DeviceError(f"{self._label}: the program reads {self._received} of {len(raw)} bytes of the input")
        touched = np.flatnonzero(np.frombuffer(self._uc.mem_read(free, unused), np.uint8) != _PAINT)
        untouched = int(touched[0]) if len(touched) else unused
        if untouched == 0:
            raise FullStackError(f"{self._label}: stack overflow into the static data")
        scores = b""
        if self._interface.output_bytes:
            scores = bytes(self._uc.mem_read(self._return_to_mark(), self._interface.output_bytes))
        more = [
            bytes(self._uc.mem_read(self._return_to_mark(), dtype.itemsize * length))
            for dtype, (_, length) in zip(self._interface.more_dtypes, self._interface.more_outputs, strict=True)
        ]
        # Continue to the mark before the next inference.
        self._return_to_mark()
        sign = 1 << self._core.bits - 1
        return (label ^ sign) - sign, executed, top - free - untouched, scores, more

    def _address(self, symbol: int) -> int:
        """The address of a function's code, without the Thumb bit."""
        return symbol & ~self._core.code

    def _return_to_mark(self) -> int:
        return self._run_to_mark(self._uc.reg_read(self._core.back))

    def _run_to_mark(self, start: int) -> int:
        """Execute the program from the code address `start` up to the next call of `tm_mark`. Return the argument of
        this call. Raises `DeviceError` for a crash, for a jump out of the program and for more than the permitted
        number of instructions.
        """
        mark = self._symbols["tm_mark"]
        self.counter.restart()
        try:
            self._uc.emu_start(start | self._core.code, mark)
        except self._error as error:
            at: int = self._uc.reg_read(self._core.pc)
            raise DeviceError(f"{self._label}: crash at 0x{at:x}: {error}") from error
        self.counter.check()
        at = self._uc.reg_read(self._core.pc)
        if at not in self._program:
            raise DeviceError(f"{self._label}: jump to 0x{at:x}, outside the program")
        if at != mark:
            raise DeviceError(f"{self._label}: did not end within {self._limit} instructions, at 0x{at:x}")
        return self._uc.reg_read(self._core.arguments[0])

    def _enter(self, address: int, size: int) -> None:
        special = self.counter.enter(address, size)
        if special and address == self._row:
            self._receive()
        if self.counter.executed > self._limit or (special and address not in self._program):
            self._uc.emu_stop()

    def _on_block(self, _uc: object, address: int, size: int, _data: object) -> None:
        self._enter(address, size)

    def _on_profiled_block(self, _uc: object, address: int, size: int, _data: object) -> None:
        self._enter(address, size)
        if self._inferring:
            inside = address in self._profiled
            block = None if inside else self._site, address, size
            self.entered[block] = self.entered.get(block, 0) + 1
            # A block that begins with an illegal instruction is empty.
            if inside and (instructions := self.counter.at.instructions):
                self._site = instructions[-1]

    def _is_special(self, address: int) -> bool:
        """True for a block at which the program requests an input row, and for a block outside the program."""
        return address == self._row or address not in self._program

    def _end_part(self) -> None:
        """End a part of the input, and update `longest` by the instructions since the previous part was received."""
        self.longest = max(self.longest, self.counter.executed - self._part)
        self._part = self.counter.executed

    def _receive(self) -> None:
        """Write the requested row of the input to memory. The method is called when the program enters the function
        that supplies rows.
        """
        self._end_part()
        to, row = (self._uc.reg_read(register) for register in self._core.arguments)
        size = self._interface.row_bytes
        # A row requested out of order is skipped and missing from the count of received bytes.
        if row * size == self._received:
            self._uc.mem_write(to, self._raw[self._received :][:size])
            self._received += size

    def _block(self, address: int, size: int) -> CodeBlock:
        if self._symbols["tm_harness_start"] <= address < self._symbols["tm_harness_end"]:
            return CodeBlock((), 0, None)
        addresses: list[int] = []
        at, end, first = address, min(address + size, self._program.stop), self._program.start
        while at < end:
            addresses.append(at)
            at += self._core.size_of(int.from_bytes(self._image[at - first : at - first + 2], "little"))
        return CodeBlock(addresses, self._code_cycles.block(addresses) if self._code_cycles else 0, at)


_Other = ctypes.CFUNCTYPE(None)


class _TableRow(ctypes.Structure):
    """A row of the table of steps: the struct `tm_step` in block_counter.c."""

    _fields_ = (
        ("address", ctypes.c_uint64),
        ("size", ctypes.c_uint32),
        ("from_block", ctypes.c_uint32),
        ("to_block", ctypes.c_uint32),
        ("instructions", ctypes.c_uint32),
        ("cycles", ctypes.c_uint32),
    )


class _Counts(ctypes.Structure):
    """The counts and the table that the C hook uses: the struct `tm_counts` in block_counter.c."""

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
    """A basic block, which is entered only at its start.

    instructions: the addresses of its instructions.
    cycles: the cycles of an execution of the block.
    after: the address after the block; None for a block of the harness, whose instructions are not recorded.
    """

    instructions: Sequence[int]
    cycles: int
    after: int | None


class Step(NamedTuple):
    """A transition from a block to the next block.

    * to: the number of the entered block.
    * instructions, cycles: the numbers that the step adds to the counts. The cycles include the refill after a taken
      branch.
    * special: true if the program requests an input row at the entered block, or if the block is outside the program.
    """

    to: int
    instructions: int
    cycles: int
    special: bool


class BlockCounter:
    """A counter of executed instructions and cycles. `restart` resets the counts to 0.

    * decode: a function that returns the block at an address. Its arguments are the address and the size in bytes.
    * refill: the additional cycles of a taken branch.
    * special: a function that returns true if entering the block at an address requires more than counting.
    * limit: the maximum number of counted instructions. A step that exceeds it is handled in Python.

    Blocks are numbered from 1. The program starts in block 0.
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
        return self._known[int(self._counts.at)]

    @property
    def blocks(self) -> dict[tuple[int, int], CodeBlock]:
        """The blocks entered so far. The key is a pair (address, size)."""
        return {key: self._known[number] for key, number in self._numbers.items()}

    def restart(self) -> None:
        self._counts.executed = self._counts.cycles = 0

    def enter(self, address: int, size: int) -> bool:
        """Count the step to the block of `size` bytes at an address. Return true if the step is special."""
        counts = self._counts
        key = counts.at, address, size
        if (step := self._steps.get(key)) is None:
            step = self._steps[key] = self._new_step(address, size)
        counts.at = step.to
        counts.executed += step.instructions
        counts.cycles += step.cycles
        return step.special

    def attach(self, emulator: Any, unicorn: Any, other: Callable[[int, int], None]) -> bool:
        """Install a C hook that counts all steps known not to be special, and calls `other` for all other steps.

        Returns false if the host has no C compiler.

        emulator: the emulator on which the hook is installed.
        unicorn: the imported module of the emulator.
        other: a function of the address and the size of the entered block. An error in it stops the emulator; `check`
            raises this error.
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
        """Raise the error that stopped the emulator. The method does nothing if no error stopped it."""
        if self._error is not None:
            raise self._error

    def _guarded(self, other: Callable[[int, int], None], stop: Callable[[], None]) -> Generator[None, None, None]:
        """A context in which `other` is called for each block that the C hook reports. The first error of `other` is
        saved.

        The C hook would discard an exception. An exception of a signal handler is raised when a Python function is
        entered, before its first statement, where no `try` in this function can catch it. A generator, in contrast, is
        resumed inside its `try`.
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
        """Rebuild the table of steps with `rows` rows. `rows` is a power of two."""
        assert self._library is not None
        self._table = (_TableRow * rows)()
        self._counts.steps = ctypes.addressof(self._table)
        self._counts.mask = rows - 1
        for row in self._rows:
            self._library.tm_add(ctypes.byref(self._counts), ctypes.byref(row))


@cache
def counting_library() -> ctypes.CDLL | None:
    """The compiled block_counter.c as a library; None if the host has no C compiler."""
    try:
        library = ctypes.CDLL(str(compiled_tool(Path(__file__).with_name("block_counter.c"), "-shared", "-fPIC")))
    except (InputError, OSError):
        return None
    library.tm_add.restype = None
    return library


_PAINT = 0xC5
