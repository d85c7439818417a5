"""An additional format that `--format auto` considers."""

from tinyml.extend.tools import Alternative

FIXED_12 = Alternative("fixed 12", {"format": "fixed", "width": 12}, "fixed 8")
