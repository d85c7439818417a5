"""What tells a module on tensors of another tool from one of our own, before either is parsed."""

import re

DIALECTS = ("linalg", "stablehlo", "chlo", "tosa", "util")
"""Dialects by whose ops a text is known to be a module on tensors of another tool."""

_NAMES = "|".join(DIALECTS)
_GENERIC = re.compile(rf'^[^"\n/#]*"(?:{_NAMES})\.\w+"\(', re.MULTILINE)
PRETTY = re.compile(rf"^\s*(?:%[\w$.:, %-]+=\s*)?((?:{_NAMES})\.\w+)\b(?!\")", re.MULTILINE)
"""An op of these dialects in its own syntax."""


def is_foreign(text: str) -> bool:
    """True for a module on tensors of another tool."""
    return bool(_GENERIC.search(text) or PRETTY.search(text))
