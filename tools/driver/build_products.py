"""Files that build tools write into an output folder. They are neither ours to remove nor an obstacle."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from tinyml.dialects.plugins import each
from tinyml.tools.driver.packages.packaging_table import PACKAGINGS

MARKERS = ("CMakeCache.txt", "build.options.json", "CACHEDIR.TAG")
"""A folder with one of these files is a build folder: of CMake or Zephyr's west, of arduino-cli or arduino-builder, or
of Cargo, which marks its folder `target` as a cache."""

_ANYWHERE = (
    *("*.o", "*.obj", "*.d", "*.a", "*.lib", "*.so", "*.su", "*.gcda", "*.gcno", "*.lst", "*.map"),
    *("*.elf", "*.hex", "*.bin", "*.eep", "*.uf2", "*.exe", "a.out", "Cargo.lock"),
    *(".pio", ".vscode", ".idea", ".cache", ".west", "__pycache__", ".DS_Store", "compile_commands.json"),
)
"""What compilers, linkers, PlatformIO and editors write, in any folder."""


def products_among(files: Sequence[str], name: str | None, programs: Sequence[str] = ()) -> Sequence[str]:
    """The files that build tools wrote, among the files of an output folder that are not ours.

    files: paths relative to the output folder.
    name: the name of the model; None if it is unknown.
    programs: the programs that share an arena, each with its own subfolder in the folder of a packaging.
    """
    paths = [PurePosixPath(file) for file in files]
    marked = {str(path.parent) for path in paths if path.name in MARKERS}
    # The output folder itself is no build folder, whatever is in it.
    marked -= {"."}
    patterns = {packaging: _patterns(packaging) for packaging in {path.parts[0] for path in paths}}

    def is_product(path: PurePosixPath) -> bool:
        packaging, *rest = path.parts
        model = name
        if len(rest) > 1 and rest[0] in programs:
            model, *rest = rest
        own = [pattern.format(name=model) for pattern in patterns[packaging]]
        return _is_product(path, rest, own) or _is_within(path, marked)

    return [str(path) for path in filter(is_product, paths)]


def _is_within(file: PurePosixPath, folders: set[str]) -> bool:
    return any(str(parent) in folders for parent in file.parents)


def _is_product(file: PurePosixPath, rest: Sequence[str], patterns: Sequence[str]) -> bool:
    paths = [file, *file.parents[:-1]]
    if any(fnmatchcase(path.name, pattern) for path in paths for pattern in _ANYWHERE):
        return True
    within = ["/".join(rest[: end + 1]) for end in range(len(rest))]
    return any(fnmatchcase(path, pattern) for path in within for pattern in patterns)


def _patterns(packaging: str) -> Sequence[str]:
    """The patterns of a packaging; none for other folders, and for a packaging that cannot be loaded."""
    row = PACKAGINGS.rows().get(packaging)
    return () if row is None else next((one.products for one in each([row], PACKAGINGS.load)), ())
