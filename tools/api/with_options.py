"""The option `--with` of `tinyml compile`, for programs that share the RAM of a board."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.options import OptionGroup, option

if TYPE_CHECKING:
    from tinyml.tools.driver.request import Request


@dataclass(frozen=True, kw_only=True)
class WithOptions:
    """The programs that share the RAM of the board with the compiled one."""

    beside: tuple[str, ...] = option(
        "also write other programs, which share the working memory and equal constants: folders that tinyml compile "
        "wrote for the board, or model files that need no data",
        default=(),
        metavar="FOLDER,...",
        flags=("--with",),
        group=OptionGroup.BOARD,
    )

    def run(self, request: Request) -> bool:
        """Compile the requested program and join it with the others. Returns false, without compiling, if there are no
        others.
        """
        if not self.beside:
            return False
        # This option is declared for every compilation; the Python API, which joins programs, is loaded for few.
        from tinyml.tools.api.shared_programs import compile_with

        compile_with(request, [*map(Path, self.beside)])
        return True
