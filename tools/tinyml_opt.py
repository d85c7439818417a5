"""The command `tinyml-opt`: parses a module or imports a model, runs passes and prints the result, as mlir-opt does."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tinyml.tools.cli.guard import Blame, check_numbers, guarded, warn_of_namesake


def main(args: Sequence[str] | None = None) -> int:
    """Run the command `tinyml-opt` and return the exit code, which is 1 after a user error. The error is one line on
    standard error.
    """
    given = sys.argv[1:] if args is None else args
    blame = Blame(debug="--debug" in given)

    def run() -> int:
        check_numbers(given)
        # Imported here, so that an interrupt while xDSL is imported is reported like any other.
        from tinyml.tools.driver.optimizer import TinymlOptMain

        warn_of_namesake()
        TinymlOptMain(given, blame).run()
        return 0

    return guarded(run, blame)


if __name__ == "__main__":
    sys.exit(main())
