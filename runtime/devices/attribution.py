"""Attribution of a model's time and flash to lines of its C file and to symbols of the program."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.runtime.devices.device import Build, RunResult
from tinyml.runtime.devices.runner import Runner
from tinyml.runtime.devices.toolchain import Symbol, call_tool, function_range, symbol_table
from tinyml.runtime.model.interface import Interface
from tinyml.targets.chip import Chip

if TYPE_CHECKING:
    import numpy as np


DEBUG_FLAGS = ("-gdwarf-2", "-fno-var-tracking")
"""Flags that only affect debug sections. avr-gcc's default format, stabs, does not record inlined functions.

The locations of variables are not requested, since they take a third of the compiler's time.
"""

_START_UP = re.compile(r"main|vectors|exit|tm_\w*|__do_\w*")
"""Global functions of the harness and of the C start-up code; any other global function comes from a library."""

_CLONE = re.compile(r"\.(constprop|isra|part)\.\d+")


@dataclass(frozen=True)
class ListedInstruction:
    """An instruction of `NAME_predict`, or of the step function of a streaming program.

    address, text: its address and its disassembly.
    line: the line in NAME.c, 0 if there is none.
    time: the time that the instruction takes per inference, including functions that it calls.
    """

    address: int
    text: str
    line: int
    time: float


@dataclass(frozen=True)
class Attribution:
    """The time and flash of a model, by line and by symbol.

    * build, result: the program, and the result of its run.
    * time: for each line of NAME.c, its time in the device's unit, as the mean over the inputs. It includes the
      functions that the line calls.
    * calls: for each line and called function, the part of this time that is spent in the function.
    * code: for each line, its bytes of `NAME_predict`, or of the step function. Line 0 stands for time and code that
      belong to no line.
    * constants, kernels, library: the bytes of flash by symbol, for the arrays of NAME.c, for the functions of NAME.c,
      and for the C library. The remaining bytes of the program are start-up code and the harness.
    * instructions: the instructions of `NAME_predict`, or of the step function, if a listing was requested.
    """

    build: Build
    result: RunResult
    time: dict[int, float]
    calls: dict[int, dict[str, float]]
    code: dict[int, int]
    constants: dict[str, int]
    kernels: dict[str, int]
    library: dict[str, int]
    instructions: tuple[ListedInstruction, ...] = ()


def attribute(
    runner: Runner,
    source_dir: Path,
    interface: Interface,
    inputs: np.ndarray,
    workdir: Path,
    optimize: str,
    constants: Sequence[str],
    *,
    listing: bool = False,
) -> Attribution:
    """Build and run a generated model. Return its time and flash, attributed to lines and symbols.

    runner: the runner of the board.
    source_dir, interface, workdir, optimize: as for `Runner.build`.
    inputs: as for `Runner.run`.
    constants: the names of the constant arrays in the model's C file.
    listing: true to request the list of instructions.

    Raises `InputError` on a device without a profiler.
    """
    build = runner.build(source_dir, interface, workdir, optimize, DEBUG_FLAGS)
    profile = runner.profile(build, interface, inputs)
    symbols = [symbol for symbol in symbol_table(runner.chip, build.elf) if symbol.size and symbol.kind in "tTrRdD"]
    inside = function_range(runner.chip, build.elf, *interface.profiled)
    step = runner.chip.instruction_alignment
    places = range(inside.start, inside.stop, step)
    lines = source_lines(runner.chip, build.elf, places, f"{interface.name}.c")
    name_of = _functions(symbols)
    time: defaultdict[int, float] = defaultdict(float)
    calls: defaultdict[int, dict[str, float]] = defaultdict(dict)
    for (site, pc), spent in profile.spent.items():
        line = lines.get(site, 0)
        time[line] += spent
        if pc not in places:
            calls[line][name_of(pc)] = calls[line].get(name_of(pc), 0) + spent
    flash: dict[str, Counter[str]] = {"constants": Counter(), "kernels": Counter(), "library": Counter()}
    for symbol in symbols:
        name = _CLONE.sub("", symbol.name)
        # In C the name of a constant begins with the program's name.
        constant = name if name in constants else name.removeprefix(f"{interface.name}_")
        if constant in constants:
            flash["constants"][constant] += symbol.size
        elif symbol.kind == "t" and name.startswith("tm_"):
            flash["kernels"][name] += symbol.size
        elif symbol.kind in "tT" and not name.startswith(interface.name) and not _START_UP.fullmatch(name):
            flash["library"][name] += symbol.size
    code = Counter(lines.get(place, 0) for place in places)
    instructions: tuple[ListedInstruction, ...] = ()
    if listing:
        sites: defaultdict[int, float] = defaultdict(float)
        for (site, _), spent in profile.spent.items():
            sites[site] += spent
        texts = _disassembly(runner.chip, build.elf, inside.start, inside.stop)
        instructions = tuple(ListedInstruction(at, text, lines.get(at, 0), sites[at]) for at, text in texts)
    code_bytes = {line: step * n for line, n in code.items()}
    return Attribution(build, profile.result, time, calls, code_bytes, **flash, instructions=instructions)


def _functions(symbols: Iterable[Symbol]) -> Callable[[int], str]:
    table = sorted((symbol.address & ~1, symbol.size, symbol.name) for symbol in symbols if symbol.kind in "tT")
    starts = [start for start, _, _ in table]

    def name_of(pc: int) -> str:
        start, size, name = table[max(bisect_right(starts, pc) - 1, 0)]
        return _CLONE.sub("", name) if start <= pc < start + size else "?"

    return name_of


def source_lines(chip: Chip, elf: Path, addresses: Sequence[int], file: str) -> dict[int, int]:
    """For each of the instruction `addresses`, the line of a C file from which the instruction was compiled.

    For an inlined function, it is the line of the call. The program must be built with -g. Instructions that belong to
    no line of the file are omitted.
    """
    rows = _line_rows(chip, elf, file)
    starts = sorted(rows)
    locations: dict[int, list[str]] = {}
    at = 0
    arguments = ["--inlines", "--addresses", "--exe", elf, *map(hex, addresses)]
    for text in call_tool(chip, "addr2line", arguments).splitlines():
        if text.startswith("0x"):
            at = int(text, 16)
        else:
            locations.setdefault(at, []).append(text)
    lines: dict[int, int] = {}
    for at, texts in locations.items():
        # The last location listed for an address is that of the outermost function. Where nothing is inlined, addr2line
        # of binutils 2.26 may report lines of functions that the linker has discarded.
        match = re.search(r"([^/\\]+):(\d+)(?: \(discriminator \d+\))?$", texts[-1])
        if match is not None and match[1] == file:
            row = bisect_right(starts, at)
            lines[at] = rows[starts[row - 1]] if len(texts) == 1 and row else int(match[2])
    return lines


def _line_rows(chip: Chip, elf: Path, file: str) -> dict[int, int]:
    """The rows of a program's line table for a C file: for the address of the first instruction of each row, the
    line.
    """
    table = call_tool(chip, "readelf", ["--debug-dump=decodedline", elf])
    rows = re.findall(rf"^{re.escape(file)} +(\d+) +0x([0-9a-f]+)\b", table, re.MULTILINE)
    return {int(address, 16): int(line) for line, address in rows}


def _disassembly(chip: Chip, elf: Path, start: int, end: int) -> list[tuple[int, str]]:
    instructions: list[tuple[int, str]] = []
    arguments = ["-d", "--no-show-raw-insn", f"--start-address={start}", f"--stop-address={end}", elf]
    for text in call_tool(chip, "objdump", arguments).splitlines():
        if (match := re.match(r" *([0-9a-f]+):\t(.*)", text)) is not None:
            instructions.append((int(match[1], 16), " ".join(match[2].split())))
    return instructions
