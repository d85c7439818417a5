"""An Uno on simavr that runs the sketch Stream, with its serial line at a pseudo-terminal.

    python tests/programs/simulated_board.py OUT

prints the name of the port and runs until it is interrupted.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tty
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from programs.sketches import CORE, compile_sketch
from tinyml.targets.registry import board, chip_of

UNO = board("uno")
STREAM = "examples/Stream/Stream.ino"


def compiled_board(out: Path, folder: Path, example: str = STREAM) -> Path:
    """The ELF file of a sketch in an output folder, around a small core of our own."""
    chip = chip_of(UNO.name)
    [sketch] = out.glob(f"arduino/*/{example}")
    library = sketch.parents[2]
    flags = [*UNO.flags, "-ffunction-sections", "-fdata-sections"]
    objects = compile_sketch(library, sketch, folder, prefix=chip.prefix, flags=flags, cxx="gnu++11")
    elf = folder / "sketch.elf"
    command = [
        f"{chip.prefix}g++",
        "-std=gnu++11",
        "-Os",
        *flags,
        "-Wl,--gc-sections",
        f"-I{CORE}",
        *objects,
        CORE / "avr.cpp",
    ]
    subprocess.run([*command, "-o", elf], check=True)
    return elf


def _simulator(folder: Path) -> Path:
    """The program that runs an ELF file with its serial line on standard input and output."""
    uart = folder / "uart"
    if not uart.exists():
        subprocess.run(["gcc", "-O2", CORE / "uart.c", "-lsimavr", "-lelf", "-o", uart], check=True)
    return uart


def printed_lines(elf: Path, folder: Path, count: int) -> list[str]:
    """The first lines that a program prints on a simulated board, within a second of its time."""
    command = [_simulator(folder), UNO.part, elf, str(count), "16000000"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    # The simulator says first what it has loaded.
    return [line for line in done.stdout.decode().splitlines() if not line.startswith("Loaded ")]


@contextmanager
def simulated_board(elf: Path, folder: Path) -> Generator[str]:
    """The port of a simulated board that runs a program; the board is stopped at the end.

    The file `depth` in the folder then has the bytes of its static data and the greatest depth of its stack.
    """
    uart = _simulator(folder)
    with pseudo_terminal() as (master, port):
        running = subprocess.Popen([uart, UNO.part, elf, "0", "0", folder / "depth"], stdin=master, stdout=master)
        try:
            yield port
        finally:
            running.terminate()
            running.wait()


@contextmanager
def pseudo_terminal() -> Generator[tuple[int, str]]:
    """The descriptor of one end and the name of the other end of a line that changes no bytes."""
    master, slave = os.openpty()
    try:
        tty.setraw(slave)
        yield master, os.ttyname(slave)
    finally:
        os.close(master)
        os.close(slave)


@contextmanager
def played_board(answer: Callable[[bytes], bytes]) -> Generator[str]:
    """The port of a board that a function plays: from bytes that it got to bytes that it sends."""
    import select
    import threading

    with pseudo_terminal() as (master, port):
        stop, wake = os.pipe()

        def play() -> None:
            while stop not in (ready := select.select([master, stop], [], [])[0]):
                if ready:
                    os.write(master, answer(os.read(master, 4096)))

        player = threading.Thread(target=play)
        player.start()
        try:
            yield port
        finally:
            os.write(wake, b".")
            player.join()
            os.close(stop)
            os.close(wake)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with simulated_board(compiled_board(Path(sys.argv[1]), folder), folder) as port:
            print(port, flush=True)
            sys.stdin.read()


if __name__ == "__main__":
    main()
