"""The packaging `header`: the whole model as one header, for a sketch or any other program in a single file."""

from __future__ import annotations

from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging

_TEXT = """\
/* The whole model: include this header in one file of a program, such as a sketch. Any other file of the program
 * defines {name}_DECLARATIONS before it includes the header. */
{header}
#if !defined({name}_DECLARATIONS) && !defined({name}_DEFINED)
#define {name}_DEFINED
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#endif
{source}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#endif
"""


def _files(model: PackagedModel) -> dict[str, str]:
    header, name = f"{model.name}.h", model.name
    declarations, definitions = model.sources[header], model.sources[f"{name}.c"]
    source = definitions.replace(f'#include "{header}"\n', "", 1)
    return {header: _TEXT.format(name=name, header=declarations, source=source)}


HEADER = Packaging("header", _files, loads=True)
"""The packaging: `header/NAME.h` is the model."""
