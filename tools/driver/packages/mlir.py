"""The packaging `mlir`: the model in upstream dialects of MLIR, and a C driver that verifies it on stored samples."""

from __future__ import annotations

from importlib.resources import files

from tinyml.dialects.context import context
from tinyml.runtime.devices.llvm import to_llvm
from tinyml.tools.cli.filled_templates import filled_templates
from tinyml.tools.driver.packages.model_words import model_words, stored_samples
from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging
from tinyml.tools.driver.stages import load_program
from tinyml.tools.driver.upstream import upstream_files

_RUN = "{result} {name}_run(void)\n{{\n    {returned}{name}_predict({argument});\n}}\n"

_ARRAY = "static {ctype} array[{length}];\n\n{ctype} *{name}_input(void)\n{{\n    return array;\n}}\n\n"
"""The caller's array, for a program whose input is not in the arena."""


def _caller(model: PackagedModel) -> str:
    """The text of the functions of `NAME.h` that `samples.h` calls. These functions call the functions of `NAME.mlir`.
    Empty for a model that reads its input row by row.
    """
    interface = model.interface
    if interface.row_elements is not None:
        return ""
    words = {"name": model.name, "ctype": interface.array_ctype, "length": interface.array_length}
    run = _RUN.format(
        **words,
        result="int16_t" if interface.has_label else "void",
        returned="return " if interface.has_label else "",
        argument="" if interface.in_own_buffer else "array",
    )
    return run if interface.in_own_buffer else _ARRAY.format(**words) + run


def _files(model: PackagedModel) -> dict[str, str]:
    words = model_words(model) | {"caller": _caller(model), "passes": to_llvm()}
    header, buffers = f"{model.name}.h", load_program(model.folder / "ir" / "2-buffers.mlir", context())
    templates = filled_templates(files("tinyml.tools.driver.packages") / "templates" / "mlir", words)
    return {
        **upstream_files(buffers),
        header: model.sources[header],
        "samples.h": stored_samples(model),
        **{str(path): text for path, text in templates},
    }


MLIR = Packaging("mlir", _files, products=("*.ll", "*.llvm.mlir", "{name}"))
"""The packaging: `make` in `mlir/` compiles the model with LLVM, and runs it."""
