"""Debian packages that a chip needs, and the check whether they are installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Package:
    """A Debian package. It counts as installed if its command and its header can be found, wherever they come from.

    * name: the name of the package.
    * command: a program on the PATH; "" for none.
    * header: a C header; "" for none.
    * compiler: the command, with flags, of a compiler that can include the header.
    """

    name: str
    command: str = ""
    header: str = ""
    compiler: Sequence[str] = ("gcc",)

    def is_installed(self) -> bool:
        if self.command and shutil.which(self.command) is None:
            return False
        return not self.header or self._includes()

    def _includes(self) -> bool:
        """True if the compiler finds the header. Positive results are cached, because the check takes 50 ms."""
        path = shutil.which(self.compiler[0])
        if path is None:
            return False
        question = (path, *self.compiler[1:], self.header)
        if question not in _FOUND:
            command = [*self.compiler, "-E", "-x", "c", "-"]
            source = f"#include <{self.header}>\n"
            if subprocess.run(command, input=source.encode(), capture_output=True, check=False).returncode != 0:
                return False
            _FOUND.add(question)
        return True


_FOUND: set[tuple[str, ...]] = set()
"""Compilers, with their flags and a header that each finds."""
