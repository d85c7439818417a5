"""An Uno on simavr that runs the sketch Stream, with its serial line connected to a pseudo-terminal.

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
    """The ELF file of a sketch in an output folder, built with a small replacement for Arduino's core.

    folder: the folder for the build.
    example: the path of the sketch below the library's folder.
    """
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
    """Build a program that simulates an ELF file with its serial line on standard input and output, and return the path
    of the program.
    """
    uart = folder / "uart"
    if not uart.exists():
        subprocess.run(["gcc", "-O2", CORE / "uart.c", "-lsimavr", "-lelf", "-o", uart], check=True)
    return uart


def printed_lines(elf: Path, folder: Path, count: int) -> list[str]:
    """The first lines that a program prints on a simulated board within a second of simulated time."""
    command = [_simulator(folder), UNO.part, elf, str(count), "16000000"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    # The simulator says first what it has loaded.
    return [line for line in done.stdout.decode().splitlines() if not line.startswith("Loaded ")]


@contextmanager
def simulated_board(elf: Path, folder: Path) -> Generator[str]:
    """A context in which a simulated board runs a program; yields its port, and stops the board at the end.

    The file `depth` in the folder then contains the bytes of static data and the maximum depth of the stack.
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
    """A context with a pseudo-terminal that changes no bytes; yields the descriptor of one end and the name of the
    other.
    """
    master, slave = os.openpty()
    try:
        tty.setraw(slave)
        yield master, os.ttyname(slave)
    finally:
        os.close(master)
        os.close(slave)


@contextmanager
def played_board(answer: Callable[[bytes], bytes]) -> Generator[str]:
    """A context with a board that a function simulates; yields its port.

    answer: maps received bytes to the bytes to send.
    """
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
