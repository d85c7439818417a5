"""Calls of compilers and binutils, and functions that parse their output."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.device import Build, DeviceError, FullStackError
from tinyml.runtime.model.interface import Interface
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.targets.chip import WEIGHTS, Chip

HARNESS = Path(__file__).parents[1] / "harness"
"""The folder of the headers that the harnesses of all chips share."""

STACK_OVERFLOW = "stack overflow"
"""The beginning of a simulator's message about a stack that grows into the static data."""

# Contraction into fused multiply-adds and fast-math would make floats differ between devices.
MODEL_FLAGS = (
    "-std=c99",
    "-ffp-contract=off",
    "-fno-fast-math",
    "-ffunction-sections",
    "-fdata-sections",
    "-Wl,--gc-sections",
)
"""Flags for every compilation of a model."""


def find_tool(chip: Chip, tool: str) -> str:
    """The path of a tool of a chip. The chip's `Chip.command` specifies its file name.

    Raises `InputError`, which names the Debian packages, if the tool is missing.
    """
    return _find(chip.command(tool), " ".join(package.name for package in chip.packages))


def _find(command: str, packages: str) -> str:
    """The path of a command on the PATH. Raises `InputError` if there is none.

    packages: the Debian packages that install it, for the error message; empty if unknown.
    """
    path = shutil.which(command)
    if path is None:
        cure = f"; on Debian or Ubuntu: apt install {packages}" if packages else ""
        raise InputError(f"'{command}' is not installed{cure}")
    return path


def call_tool(chip: Chip, tool: str, arguments: Sequence[str | Path]) -> str:
    """Run a tool of a chip and return its standard output.

    Raises `InputError` with the first error message of the tool if it fails.
    """
    return run_command(find_tool(chip, tool), arguments)


TIME_LIMIT = 600
"""The number of seconds after which a compiler is stopped."""


def run_command(path: str, arguments: Sequence[str | Path], name: str = "", seconds: float = TIME_LIMIT) -> str:
    """Run a program with the given arguments and return its standard output.

    path: the path of the program.
    name: the name of the program in messages; by default, the name of the file.
    seconds: the time limit.

    Raises `InputError` with the first error message of the program if it fails, and if it exceeds the time limit.
    """
    # Other locales would translate the messages searched below.
    environment = {**os.environ, "LC_ALL": "C"}
    # The quoted sources and paths may be in any encoding.
    command, name = [path, *map(str, arguments)], name or Path(path).name
    try:
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", errors="replace", env=environment, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"{name} did not end in {seconds:g} seconds") from None
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        message = next((line for line in lines if "error" in line or "undefined" in line or "region" in line), None)
        raise InputError(f"{name} failed: {message or ' '.join(lines[:1]) or f'exit code {done.returncode}'}")
    return done.stdout


@cache
def compiled_tool(source: Path, *flags: str) -> Path:
    """The path of a program or library that is compiled from a C file for the host.

    If the user's cache contains the program, it is reused. The cache key is the preprocessed source with the flags, so
    that each version of a simulator has a separate driver.

    flags: further compiler and linker flags.
    """
    compiler = _find("cc", "gcc")
    text = run_command(compiler, ["-E", "-P", "-I", HARNESS, source])
    key = hashlib.sha256("\0".join((text, *flags)).encode()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tinyml"
    compiled = cache / f"{source.stem}-{key}"
    if not compiled.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            # Several processes may compile it at once, so each moves a complete file into place.
            fresh = Path(scratch) / "compiled"
            run_command(compiler, ["-std=gnu99", "-O2", "-I", HARNESS, "-o", fresh, source, *flags])
            fresh.replace(compiled)
    return compiled


def build_model(chip: Chip, source_dir: Path, interface: Interface, elf: Path, flags: Sequence[str]) -> Build:
    """Compile and link every `*.c` in `source_dir` with the harness of a chip. Return the program with its sizes.
    Raises `InputError` for a folder without C files, and if the compiler or linker fails.
    """
    sources = sorted(source_dir.glob("*.c"))
    if not sources:
        raise InputError("expected a C file of a model", file=str(source_dir))
    macros = {
        "TM_MODEL": interface.name,
        "TM_HEADER": f'"{interface.name}.h"',
        "TM_INPUT": interface.array_ctype,
        "TM_INPUT_LENGTH": interface.array_length,
        "TM_IN_OWN_BUFFER": int(interface.in_own_buffer),
        "TM_TAKES_ARRAY": int(interface.in_array),
        "TM_INSTANCES": int(interface.instances),
        "TM_ROW_LENGTH": interface.row_length,
        "TM_PUSHED": int(interface.pushes is not None),
        "TM_CONTINUED": int(interface.skipped_rows is not None),
        "TM_SKIPPED_ROWS": interface.skipped_rows or 0,
        "TM_OUTPUT_LENGTH": interface.output_length,
        "TM_HAS_LABEL": int(interface.has_label),
        "TM_MORE_OUTPUTS": "".join(f"TM_MORE({i},{length})" for i, (_, length) in enumerate(interface.more_outputs, 1)),
    }
    weights = weights_in(source_dir, interface)
    macros["TM_WEIGHTS_BYTES"] = len(weights)
    bound = ["-DTM_BLOB=1"] if (source_dir / f"{interface.name}_blob.c").is_file() else []
    defines = [*bound, *(f"-D{name}={value}" for name, value in macros.items())]
    scripts = [f"-T{script}" for script in chip.files("harness/*.ld")]
    # The linker's options and inputs are not passed to the compiler.
    common = tuple(flag for flag in (*MODEL_FLAGS, *flags, *defines) if flag.startswith("-") and flag[:4] != "-Wl,")
    header = source_dir / f"{interface.name}.h"
    elf.parent.mkdir(parents=True, exist_ok=True)
    for i, content in enumerate(_harness_objects(chip, common, header.name, header.read_bytes())):
        sources.append(elf.with_name(f"harness-{i}.o"))
        sources[-1].write_bytes(content)
    arguments = [*MODEL_FLAGS, *flags, *bound, *scripts, "-I", source_dir, "-I", HARNESS, "-o", elf, *sources]
    call_tool(chip, "cc", [*arguments, *chip.libraries])
    text, data, bss = map(int, call_tool(chip, "size", [elf]).splitlines()[1].split()[:3])
    return Build(flash_bytes=text + data, static_bytes=data + bss, elf=elf, weights=weights)


@lru_cache(4)
def _harness_objects(chip: Chip, flags: Sequence[str], name: str, header: bytes) -> Sequence[bytes]:
    """The contents of the object files of a chip's harness, compiled for a model.

    They are cached by the content of the model's header, because a search builds many programs with equal headers.

    flags: the compiler flags.
    name: the file name of the model's header.
    header: the content of the header.
    """
    objects: list[bytes] = []
    with temporary_folder() as folder:
        (folder / name).write_bytes(header)
        object_file = folder / "harness.o"
        for file in chip.files("harness/*.c"):
            call_tool(chip, "cc", [*flags, "-I", folder, "-I", HARNESS, "-c", "-o", object_file, file])
            objects.append(object_file.read_bytes())
    return objects


def weights_in(folder: Path, interface: Interface) -> bytes:
    """The weights that the program in a folder receives before the first inference; empty for most programs."""
    file = folder / f"{interface.name}{WEIGHTS}"
    return file.read_bytes() if file.is_file() else b""


def is_overflow(error: InputError) -> bool:
    """True for the linker's error message that a program does not fit in the memories."""
    return re.search("will not fit in region|is not within region|overflowed by", error.message) is not None


@dataclass(frozen=True)
class Symbol:
    """A symbol of an ELF file.

    name, address: its name and its address.
    size: the number of bytes, 0 if unknown.
    kind: the letter that nm prints (t, T: code).
    """

    name: str
    address: int
    size: int
    kind: str


def symbol_table(chip: Chip, elf: Path) -> Sequence[Symbol]:
    return _symbol_table(chip, elf, elf.stat().st_mtime_ns)


def _kind(section: Sequence[str]) -> str:
    """The letter that nm prints for the symbols of a section.

    section: the flags of the section as objdump prints them.
    """
    if "ALLOC" not in section:
        return "n"
    if "CODE" in section:
        return "t"
    return "b" if "CONTENTS" not in section else "r" if "READONLY" in section else "d"


_SECTION = re.compile(r" *\d+ (\S+) .* 2\*\*\d+ +(.*)")
_SYMBOL = re.compile(r"([0-9a-f]+) (.{7}) (\S+)\t([0-9a-f]+) (?:.* )?(\S+)")


@lru_cache(16)
def _symbol_table(chip: Chip, elf: Path, written: int) -> Sequence[Symbol]:
    """The symbols of an ELF file, sorted by address. The result is cached.

    written: the file's modification time, which is part of the cache key.

    The symbols are parsed from objdump's output, because nm first loads each linker plugin of the computer. Loading
    LLVM's plugin takes longer than a compilation.
    """
    sections: dict[str, str] = {}
    table: list[Symbol] = []
    for line in call_tool(chip, "objdump", ["--wide", "--section-headers", "--syms", elf]).splitlines():
        if (match := _SYMBOL.fullmatch(line)) is not None:
            address, flags, section, size, name = match.groups()
            # Names of sections and files, and the marks of Arm and RISC-V between code and data.
            if flags[5] != "d" and section != "*UND*" and not name.startswith("$"):
                kind = "w" if flags[1] == "w" else sections.get(section, "a")
                letter = kind if flags[0] == "l" else kind.upper()
                table.append(Symbol(name, int(address, 16), int(size, 16), letter))
        elif (match := _SECTION.fullmatch(line)) is not None:
            sections[match[1]] = _kind(match[2].split(", "))
    return tuple(sorted(table, key=lambda symbol: symbol.address))


def symbols(chip: Chip, elf: Path) -> dict[str, int]:
    """The address of every symbol that an ELF file defines, by name."""
    return {symbol.name: symbol.address for symbol in symbol_table(chip, elf)}


def function_range(chip: Chip, elf: Path, *names: str) -> range:
    """The address range of a function. The addresses do not include the Thumb bit.

    names: possible names of the function. The first name that the ELF file contains is used.
    """
    by_name = {symbol.name: symbol for symbol in symbol_table(chip, elf)}
    function = next(by_name[name] for name in names if name in by_name)
    return range(function.address & ~1, (function.address & ~1) + function.size)


def execute(
    command: Sequence[str | Path], stdin: bytes, what: str, folder: Path | None = None, seconds: float | None = None
) -> bytes:
    """Run a model or driver and return its standard output.

    command: the program and its arguments.
    stdin: the bytes of its standard input.
    what: a description of the program, for messages.
    folder: the working directory, by default that of the caller.
    seconds: the time limit; None for a command that limits its own time.

    Raises `DeviceError` with the error message of the command if it fails, and if it exceeds the limit.
    """
    arguments = [str(argument) for argument in command]
    try:
        done = subprocess.run(arguments, input=stdin, capture_output=True, cwd=folder, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise DeviceError(f"{what} did not end in {seconds:g} seconds") from None
    if done.returncode == 0:
        return done.stdout
    lines = [line.strip() for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
    message = next((line for line in lines if "error:" in line.lower()), lines[-1] if lines else "").removeprefix(
        "error: "
    )
    signal = f"killed by signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
    raise (FullStackError if message.startswith(STACK_OVERFLOW) else DeviceError)(f"{what}: {message or signal}")
