"""The `scratch` dialect of memory (from level L2 on): an arena for mutable data, flash for constants, and views of
both.
"""

from functools import partial
from typing import TYPE_CHECKING

from tinyml.dialects.collect import dialect_of
from tinyml.dialects.modules import all_names, names_on_use
from tinyml.dialects.scratch.ops import *
from tinyml.dialects.scratch.types import *

if TYPE_CHECKING:
    from tinyml.dialects.scratch.moves import *

_ON_USE = [f"{__name__}.moves"]
"""The file of ops that few programs contain; it is imported when one of its names is first used."""

if not TYPE_CHECKING:
    __getattr__ = names_on_use(_ON_USE)

SCRATCH = dialect_of("scratch", globals(), partial(all_names, _ON_USE))
