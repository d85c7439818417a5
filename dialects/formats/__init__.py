"""Number formats.

A format is a file, or a folder whose `type.py` defines it. `number_format.py` is the contract; start there.
"""

# Registers builtin f32 and bf16 as number formats for everybody who looks one up.
import tinyml.dialects.formats.bf16 as _bf16  # noqa: F401  # pyright: ignore[reportUnusedImport]
import tinyml.dialects.formats.f32 as _f32  # noqa: F401  # pyright: ignore[reportUnusedImport]
