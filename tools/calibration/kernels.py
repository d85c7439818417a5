"""Prints the costs of the runtime's kernels (`make kernels`), on each chip whose kernels calibration measures."""

from importlib import import_module
from importlib.util import find_spec

from tinyml.targets.registry import CHIPS


def main() -> None:
    """Print the tables of every chip that has a file of its name beside this one."""
    for chip in CHIPS:
        if find_spec(module := f"tinyml.tools.calibration.{chip}") is not None:
            import_module(module).print_costs()
            print()


if __name__ == "__main__":
    main()
