"""The requirement of some tools that the memory of a model belongs to its caller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError

if TYPE_CHECKING:
    from tinyml.tools.driver.packages.packaging import PackagedModel


def require_instances(model: PackagedModel, packaging: str, reason: str) -> None:
    """Raise `InputError` for a model with static memory.

    packaging: the value of `--package`.
    reason: why its tool needs instances.
    """
    if not model.interface.instances:
        raise InputError(f"--package {packaging}: {reason}: add --instances")
