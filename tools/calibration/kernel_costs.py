"""Print the costs of the runtime's kernels (`make kernels`), on every chip with kernels and an installed toolchain.

    python -m tinyml.tools.calibration.kernel_costs [--quick] [--resume] [CHIP]...

A chip may name a function that measures its kernels in detail (`Chip.figures`). For other chips, the tool prints the
time of products in generated code. `--quick` compiles only with -Os; `--resume` reuses the measurements of an
interrupted run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.registry import is_available
from tinyml.targets.chip import Chip
from tinyml.targets.registry import chips
from tinyml.tools.calibration.checkpoints import checkpoints
from tinyml.tools.calibration.programs.generated_code import print_products
from tinyml.tools.calibration.programs.measured_programs import LEVELS

OPTIONS = ("--quick", "--resume")


def measured_chips(names: Sequence[str]) -> list[Chip]:
    """The chips with the given names, by default all chips with a runner and with kernels or a function that measures
    them (`Chip.figures`).

    Raises `InputError` for an unknown name.
    """
    known = {chip.name: chip for chip in chips()}
    for name in names:
        if name not in known:
            raise InputError(f"unknown chip '{name}' (one of {', '.join(known)})")
    return [known[name] for name in names] or [
        chip for chip in known.values() if chip.runner and (chip.kernels or chip.figures)
    ]


def print_figures(chip: Chip, levels: Sequence[str]) -> None:
    """Print the costs of a chip's kernels.

    levels: the optimization levels of the C compiler.
    """
    if not chip.figures:
        print_products([board.name for board in chip.boards if board.larger is None], {}, levels)
        return
    module, _, name = chip.figures.partition(":")
    figures: Callable[[Sequence[str]], None] = getattr(import_module(module), name)
    figures(levels)


def main(arguments: Sequence[str]) -> int:
    """Print the tables and return the exit code.

    arguments: chip names, by default all, and options.
    """
    try:
        chosen = measured_chips([argument for argument in arguments if argument not in OPTIONS])
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for chip in chosen:
        if not is_available(chip.boards[0].name):
            print(f"{chip.name}: left out, its compiler or simulator is not installed", file=sys.stderr)
            continue
        with checkpoints(f"kernels-{chip.name}", resume="--resume" in arguments):
            print_figures(chip, LEVELS[:1] if "--quick" in arguments else LEVELS)
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
