"""Files that build tools write into an output folder. They are neither ours to remove nor an obstacle."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

MARKERS = ("CMakeCache.txt", "build.options.json", "CACHEDIR.TAG")
"""A folder with one of these files is a build folder: of CMake or Zephyr's west, of arduino-cli or arduino-builder, or
of Cargo, which marks its folder `target` as a cache."""

_ANYWHERE = (
    *("*.o", "*.obj", "*.d", "*.a", "*.lib", "*.so", "*.su", "*.gcda", "*.gcno", "*.lst", "*.map"),
    *("*.elf", "*.hex", "*.bin", "*.eep", "*.uf2", "*.exe", "a.out", "Cargo.lock"),
    *(".pio", ".vscode", ".idea", ".cache", ".west", "__pycache__", ".DS_Store", "compile_commands.json"),
)
"""What compilers, linkers, PlatformIO and editors write, in any folder."""

_ARDUINO = ("*/build", "*/sketch.yaml")
"""What `arduino-cli compile --export-binaries` and `arduino-cli board attach` write into the folder of a sketch."""

_CMAKE = (
    *(
        "build",
        "build-*",
        "cmake-build-*",
        "CMakeCache.txt",
        "CMakeFiles",
        "cmake_install.cmake",
        "CTestTestfile.cmake",
    ),
    *(
        "DartConfiguration.tcl",
        "Testing",
        "Makefile",
        "build.ninja",
        ".ninja_deps",
        ".ninja_log",
        "*_example",
        "*_rows",
    ),
)
"""What CMake writes into a build folder, or into the folder of the project, if it is built there."""

_PLATFORMIO = (".gitignore", "include", "include/README", "lib/README", "test", "test/README")
"""What `pio project init` writes into the folder of a project."""

PRODUCTS = {
    "arduino": _ARDUINO,
    "cmake": _CMAKE,
    "mlperf": (*_CMAKE, *_ARDUINO),
    "platformio": _PLATFORMIO,
    "micropython": ("*/build-*", "*/*.mpy", "*/.mpy_ld_cache-*"),
    "rust": ("target",),
    "zephyr": ("twister-out*", "*/twister-out*", "build", "*/build"),
    "idf": (
        "*/test_apps/sdkconfig*",
        "*/test_apps/build",
        "*/test_apps/managed_components",
        "*/test_apps/dependencies.lock",
    ),
    "bitstream": ("*.json", "*.config", "*.bit"),
    "circt": ("*.vvp", "*.sv", "outputs.txt"),
    "mlir": ("*.ll", "*.llvm.mlir", "{name}"),
}
"""For each packaging, the patterns of what its tool writes into its folder. `{name}` is the name of the model. A
pattern that matches a folder includes what is in it."""


def products_among(files: Sequence[str], name: str | None) -> Sequence[str]:
    """The files that build tools wrote, among the files of an output folder that are not ours.

    files: paths relative to the output folder.
    name: the name of the model; None if it is unknown.
    """
    marked = {str(PurePosixPath(file).parent) for file in files if PurePosixPath(file).name in MARKERS}
    # The output folder itself is no build folder, whatever is in it.
    marked -= {"."}
    return [file for file in files if _is_product(PurePosixPath(file), name) or _is_within(PurePosixPath(file), marked)]


def _is_within(file: PurePosixPath, folders: set[str]) -> bool:
    return any(str(parent) in folders for parent in file.parents)


def _is_product(file: PurePosixPath, name: str | None) -> bool:
    paths = [file, *file.parents[:-1]]
    if any(fnmatchcase(path.name, pattern) for path in paths for pattern in _ANYWHERE):
        return True
    packaging, *rest = file.parts
    within = ["/".join(rest[: end + 1]) for end in range(len(rest))]
    patterns = [pattern.format(name=name) for pattern in PRODUCTS.get(packaging, ())]
    return any(fnmatchcase(path, pattern) for path in within for pattern in patterns)
