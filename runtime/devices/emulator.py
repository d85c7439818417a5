"""The base class of runners on the emulator `unicorn`, which count instructions."""

from __future__ import annotations

import importlib
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tinyml.dialects.distribution import install_command
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.devices.block_counter import BlockCounter, CodeBlock
from tinyml.runtime.devices.device import Build, DeviceError, FullStackError, RunResult, TimeProfile, raw_inputs
from tinyml.runtime.devices.runner import Runner
from tinyml.runtime.devices.toolchain import call_tool, function_range, symbols
from tinyml.runtime.model.interface import Interface

_PAINT = 0xC5


@dataclass(frozen=True)
class Core:
    """An emulated core.

    pc, back (the return address), sp, arguments (of a function; the first also holds its result): registers by
    unicorn's numbers. size_of: returns the size in bytes of the instruction with a given first halfword. code: offset
    added to a function's address to call it. bits: the width of a register. flash: address and bytes of program
    memory. ram: address and minimum bytes of the memory for data and stack, with the stack at its end. devices: sizes
    of other readable and writable memory regions, by address. All addresses and sizes are multiples of 4096.
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


class CodeCycles(Protocol):
    """Cycle counts of a linked program's code. refill: extra cycles of a taken branch, which refills the pipeline."""

    @property
    def refill(self) -> int: ...

    def block(self, addresses: Sequence[int]) -> int:
        """The cycles of the instructions at `addresses`, executed consecutively."""
        ...


@dataclass(frozen=True)
class EmulatorRunner(Runner):
    """The base class of runners on an emulated chip. The core defines the register width and the memory map.

    The instructions of an inference are counted exactly, from the first of `NAME_predict` through its return; a runner
    with `code_cycles` also estimates cycles. More than `limit` instructions, an access to unmapped memory, an illegal
    instruction and a stack overflow raise DeviceError. A program that does not fit fails to link, with InputError.
    """

    limit: int = 4_000_000_000

    @abstractmethod
    def core(self, unicorn: Any) -> Core:
        """A new core of this board. unicorn: the imported module, whose type information is incomplete."""

    def code_cycles(self, elf: Path) -> CodeCycles | None:
        """The cycle counts of a linked program's code; None if the timing of the board's core is unknown."""
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
    """An emulated chip, run up to its first `tm_mark`. profiled: true to fill `entered`."""

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
        for start, size in (ram, *self._core.devices.items()):
            self._uc.mem_map(start, size, unicorn.UC_PROT_READ | unicorn.UC_PROT_WRITE)
        self._uc.mem_write(flash, self._image)
        self._program = range(flash, flash + len(self._image))
        self._code_cycles = runner.code_cycles(elf)
        self.timed = self._code_cycles is not None
        self.core_cycles = 0
        """Cycles of the last inference; meaningless unless `timed`."""
        refill = self._code_cycles.refill if self._code_cycles else 0
        self.counter = BlockCounter(self._block, refill, self._is_special, runner.limit)
        self.longest = self._part = 0
        """Maximum instructions from one part of the input to the next, and instructions before the current part."""
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
            # The first mark shows where the weights belong.
            self._uc.mem_write(self._input, build.weights)
            self._input = self._return_to_mark()

    def infer(self, raw: bytes) -> tuple[int, int, int, bytes, list[bytes]]:
        """The label, executed instructions, stack depth in bytes, raw scores and other outputs of one input."""
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
            raise DeviceError(f"{self._label}: the program asks for {self._received} of {len(raw)} bytes of the input")
        touched = np.flatnonzero(np.frombuffer(self._uc.mem_read(free, unused), np.uint8) != _PAINT)
        untouched = int(touched[0]) if len(touched) else unused
        if untouched == 0:
            raise FullStackError(f"{self._label}: stack overflow, it grew into the static data")
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
        """Run from a code address to the next `tm_mark` and return its argument."""
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
            raise DeviceError(f"{self._label}: jump to 0x{at:x}, out of the program")
        if at != mark:
            raise DeviceError(f"{self._label}: no end within {self._limit} instructions, at 0x{at:x}")
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
        """True for a block that requests an input row or lies outside the program."""
        return address == self._row or address not in self._program

    def _end_part(self) -> None:
        """Record the instructions of the part of the input that ends here."""
        self.longest = max(self.longest, self.counter.executed - self._part)
        self._part = self.counter.executed

    def _receive(self) -> None:
        """Write the requested row to memory, on entry of the function that supplies rows."""
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
