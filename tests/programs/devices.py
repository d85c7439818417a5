"""The boards that tests run programs on, taken from the registry: a new chip is tested without an edit."""

import os

from tinyml.targets.registry import HOST, USUAL, board, boards, chip_of, chips

_LARGER = {board.larger for board in boards()}

BOARDS = [HOST, *(board.name for board in boards() if board.name not in (HOST, *_LARGER))]
"""All that differ in more than memory, the host first. Runners and kernels are tested on each."""

SIMULATED = BOARDS[1:]

CORES = {
    chip.name: [board.name for board in chip.boards if board.name in SIMULATED and board.costs] or [chip.boards[0].name]
    for chip in chips()
    if chip.name != HOST
}
"""Of each chip but the host the boards that programs are run on: those with a table of costs, as each core has that
differs from others, or else the first."""

SMALL = [names[0] for names in CORES.values()]
"""The first board of each chip but the host."""

DEVICES = [HOST, *(name for names in CORES.values() for name in names)]

PRINTED = {names[-1]: [HOST, *names] if USUAL in names else names for names in CORES.values()}
"""A target of each chip, and the boards on which C that is printed for it is run; the host runs that of one chip."""


TURNS = [(USUAL, HOST), *((names[0], names[0]) for names in CORES.values()), (HOST, HOST)]
"""Targets and the boards that run what is printed for them, of which programs take some in turn."""

if only := os.environ.get("TESTED_BOARD"):
    BOARDS = SIMULATED = SMALL = DEVICES = [only]
    CORES, PRINTED = {chip_of(only).name: [only]}, {only: [only]}
    TURNS = [(only, only)] * len(TURNS)


def roomy(name: str) -> str:
    """A board, or its sister with more memory."""
    return board(name).larger or name
