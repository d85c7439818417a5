"""Number formats.

Each format is a module, or a subpackage with a module `type.py`. `number_format.py` defines their common interface.
"""

from xdsl.dialects.builtin import BFloat16Type

# These imports register builtin f32 as a number format, and fixed point as the integers of exact formats.
import tinyml.dialects.formats.f32 as _f32  # noqa: F401  # pyright: ignore[reportUnusedImport]
import tinyml.dialects.formats.fixed.type as _fixed  # noqa: F401  # pyright: ignore[reportUnusedImport]
from tinyml.dialects.extensions import imported
from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.modules import is_installed

_BF16 = f"{__name__}.bf16:BF16_FORMAT"


@number_format.register
def _(type: BFloat16Type) -> NumberFormat | None:
    return imported(_BF16) if is_installed(_BF16) else None
