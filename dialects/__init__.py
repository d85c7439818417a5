"""Types and operations of tinyml, and the interface of a number format."""

# Registers builtin f32 as a number format for everybody who looks one up.
import tinyml.dialects.f32 as _f32  # noqa: F401  # pyright: ignore[reportUnusedImport]
