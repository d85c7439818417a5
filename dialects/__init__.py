"""Types and operations of tinyml, and the interface of a number format."""

# Registers builtin f32 and bf16 as number formats for everybody who looks one up.
import tinyml.dialects.bf16 as _bf16  # noqa: F401  # pyright: ignore[reportUnusedImport]
import tinyml.dialects.f32 as _f32  # noqa: F401  # pyright: ignore[reportUnusedImport]
