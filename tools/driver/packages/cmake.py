"""The packaging `cmake`: a library, an example that verifies the model on stored samples, and a toolchain file."""

from __future__ import annotations

from importlib.resources import files

from tinyml.runtime.devices.toolchain import MODEL_FLAGS
from tinyml.targets.registry import HOST, chip_of
from tinyml.tools.cli.filled_templates import filled_templates
from tinyml.tools.driver.packages.model_words import model_words, stored_samples
from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging

_TOOLCHAIN, _ROWS = "toolchain.cmake", "rows.c"

PRODUCTS = (
    *(
        "build",
        "build-*",
        "cmake-build-*",
        "CMakeCache.txt",
        "CMakeFiles",
        "cmake_install.cmake",
        "CTestTestfile.cmake",
    ),
    *("DartConfiguration.tcl", "Testing", "Makefile", "build.ninja", ".ninja_deps", ".ninja_log"),
    *("*_example", "*_rows"),
)
"""What CMake writes into a build folder, or into the folder of the project, if it is built there."""

_TOOLCHAIN_USE = f"#   cmake -B build-{{board}} -D CMAKE_TOOLCHAIN_FILE={_TOOLCHAIN} && cmake --build build-{{board}}\n"

_ROWS_TARGET = """\
  if(NOT CMAKE_CROSSCOMPILING)
    # Images on standard input.
    add_executable({name}_rows rows.c)
    target_link_libraries({name}_rows PRIVATE {name})
  endif()"""


def example_words(model: PackagedModel) -> dict[str, str]:
    """The texts, by placeholder, for the templates of the project."""
    board, chip = model.board, chip_of(model.board.name)
    libraries = [library.removeprefix("-l") for library in chip.libraries if library.startswith("-l")]
    return model_words(model) | {
        "part": board.part,
        "compiler": chip.command("cc"),
        "flags": " ".join((*board.flags, *chip.flags)),
        "libraries": " ".join(libraries),
        "model_flags": " ".join(flag for flag in MODEL_FLAGS if flag.startswith("-f")),
        "toolchain_use": "" if board.name == HOST else _TOOLCHAIN_USE.format(board=board.name),
        "rows_target": _ROWS_TARGET.format(name=model.name) if _reads_rows(model) else "",
    }


def _reads_rows(model: PackagedModel) -> bool:
    return model.interface.row_elements is not None and model.serial


def _files(model: PackagedModel) -> dict[str, str]:
    templates = filled_templates(files("tinyml.tools.driver.packages") / "templates" / "cmake", example_words(model))
    found = model.sources | {"samples.h": stored_samples(model)} | {str(path): text for path, text in templates}
    if model.board.name == HOST:
        del found[_TOOLCHAIN]
    if not _reads_rows(model):
        del found[_ROWS]
    return found


CMAKE = Packaging("cmake", _files, products=PRODUCTS)
"""The packaging: `cmake/` is the project."""
