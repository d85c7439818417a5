"""Number formats.

Each format is a file, or a folder with a `type.py`. `number_format.py` defines the interface; start there.
"""

# These imports register builtin f32 and bf16 as number formats, and fixed point as the integers of exact formats.
import tinyml.dialects.formats.f32 as _f32  # noqa: F401  # pyright: ignore[reportUnusedImport]
import tinyml.dialects.formats.fixed.type as _fixed  # noqa: F401  # pyright: ignore[reportUnusedImport]
from tinyml.dialects.extensions import imported
from tinyml.dialects.modules import is_installed

if is_installed(_BF16 := f"{__name__}.bf16"):
    imported(_BF16)
