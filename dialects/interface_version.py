"""The version of `tinyml.extend`, the interface for packages that extend tinyml, and the check that a package is
compatible with this version.

A package states the version for which it was written as an entry point of the group `tinyml.extend`, such as `version-1
= "own_package"`. The entry point is never loaded.
"""

from __future__ import annotations

from tinyml.dialects.package_metadata import DISTRIBUTION

VERSION = 1
"""The version of the interface; it increases if a name is removed or changes its meaning, not for new names."""

_PREFIX = "version-"


def version_mismatch(stated: str) -> str | None:
    """The reason why a package is incompatible with this version of the interface; None if it is compatible.

    stated: the version that the package states, such as `version-1`.
    """
    number = stated.removeprefix(_PREFIX)
    if number == stated or not number.isdecimal():
        return f"expected {_PREFIX}{VERSION} in the group tinyml.extend, got {stated!r}"
    if int(number) == VERSION:
        return None
    found = f"the package is written for version {int(number)} of tinyml.extend, and this is version {VERSION}"
    older = "see 'Changes for packages' in the documentation"
    return f"{found}: {older if int(number) < VERSION else f'install a newer {DISTRIBUTION}'}"
