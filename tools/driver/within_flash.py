"""Compilation within a limit on flash, of which the weights that become code use what is left."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError

if TYPE_CHECKING:
    from tinyml.tools.driver.stages import Compiled

TRIES = 4
"""How often a program is compiled at most, without such code in the end: estimates are a few percent off."""


def compile_within_flash(
    limit: int, compiled_within: Callable[[int], Compiled], target: str, optimize: str
) -> Compiled:
    """The program whose weights become code as far as it stays within a limit on flash when it is built.

    compiled_within: compiles it within a limit on its estimate. Without the tools of the target the estimate decides.
    Raises `InputError` for a program that takes more even without such code.
    """
    from tinyml.runtime.devices.registry import is_available

    within = limit
    for _ in range(TRIES - 1):
        compiled = compiled_within(within)
        if not is_available(target) or (taken := _flash(compiled, target, optimize)) <= limit:
            return compiled
        within = max(within - (taken - limit), 1)
    compiled = compiled_within(1)
    if (taken := _flash(compiled, target, optimize)) > limit:
        raise InputError(f"the program takes {taken} bytes of flash, --flash allows {limit}")
    return compiled


def _flash(compiled: Compiled, target: str, optimize: str) -> int:
    """The bytes of flash of a program that is built."""
    from tinyml.dialects.context import context
    from tinyml.runtime.devices.registry import runner_for
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.targets.c.print_c import write_c

    with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
        write_c(compiled.program, context(), target, Path(folder))
        interface = interface_of(compiled.formats)
        return runner_for(target).build(Path(folder), interface, Path(folder), optimize).flash_bytes
