"""Debian packages that a chip needs, and checks that their contents are installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Package:
    """A Debian package, considered installed if its command and its header can be found, whatever their origin.

    command: a program on the PATH. header: a C header; compiler: the command, with its flags, that can include it.
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
        if shutil.which(self.compiler[0]) is None:
            return False
        command = [*self.compiler, "-E", "-x", "c", "-"]
        source = f"#include <{self.header}>\n"
        return subprocess.run(command, input=source.encode(), capture_output=True, check=False).returncode == 0
