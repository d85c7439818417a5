"""Detection, before parsing, of tensor modules that other tools wrote."""

import re

from tinyml.dialects.errors import InputError

DECLARED = ("stablehlo", "chlo")
"""Dialects that tinyml declares (`dialects/stablehlo/`): `tinyml-opt` preserves their ops."""

DIALECTS = ("linalg", "tosa", "util")
"""Further dialects whose ops identify a text as a tensor module from another tool."""


def _generic(dialects: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf'^[^"\n/#]*"(?:{"|".join(dialects)})\.\w+"\(', re.MULTILINE)


_ANY, _UNDECLARED = _generic((*DECLARED, *DIALECTS)), _generic(DIALECTS)
_PRETTY = re.compile(rf"^\s*(?:%[\w$.:, %-]+=\s*)?((?:{'|'.join((*DECLARED, *DIALECTS))})\.\w+)\b(?!\")", re.MULTILINE)


def is_foreign(text: str, *, undeclared: bool = False) -> bool:
    """Whether `text` is a module on tensors that another compiler printed.

    undeclared: true to accept only modules with dialects that tinyml does not declare.

    Raises `InputError` at an op that is not in MLIR's generic form.
    """
    if (pretty := _PRETTY.search(text)) is not None:
        before = text[: pretty.start(1)]
        message = f"{pretty[1]} stands in its own syntax: print the module with mlir-opt --mlir-print-op-generic"
        raise InputError(message, line=before.count("\n") + 1, column=len(before) - before.rfind("\n"))
    return bool((_UNDECLARED if undeclared else _ANY).search(text))
