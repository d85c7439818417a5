"""Compilation within a limit on flash, up to which kernels and code that save time may use it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.transforms.loops.flash.attempts import next_attempt

if TYPE_CHECKING:
    from tinyml.tools.driver.stages import Compiled


def compile_within_flash(
    limit: int, compiled: Compiled, compiled_within: Callable[[int], Compiled], target: str, optimize: str
) -> tuple[Compiled, int]:
    """A program that stays within a limit on flash when it is built, and the limit by its estimate that led to it.

    compiled: the program within `limit` by its estimate, which decides without the tools of the target.
    compiled_within: compiles it within another one. Raises `InputError` for a program that takes more even if no flash
    is spent to save time.
    """
    from tinyml.runtime.devices.registry import is_available

    within = limit
    while is_available(target) and (taken := _flash(compiled, target, optimize)) > limit:
        if (within := next_attempt(within, taken, limit)) is None:
            raise InputError(f"the program takes {taken} bytes of flash, --flash allows {limit}")
        compiled = compiled_within(within)
    return compiled, within


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
