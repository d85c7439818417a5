"""The names of a model's features, an attribute of the module.

Data frames have names, by which a caller's columns are compared with those that the model was trained on. No pass reads
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, BytesAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.own_attributes import OwnAttribute, Place, read_by

__all__ = ["FEATURE_NAMES", "feature_names_of", "set_feature_names"]


def set_feature_names(module: ModuleOp, names: Sequence[str]) -> None:
    """Name the features of a program, in the order of its input.

    Raises `VerifyException` for names that are no text in UTF-8.
    """
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError as error:
            raise VerifyException(f"the name {name!r} of a feature is no text") from error
    module.attributes[FEATURE_NAMES] = ArrayAttr([StringAttr(name) for name in names])


def feature_names_of(module: ModuleOp) -> list[str] | None:
    """The name of each feature of a program; None for a program without names.

    Raises `VerifyException` for an attribute that does not hold strings.
    """
    attribute = module.attributes.get(FEATURE_NAMES)
    return None if attribute is None else _names(attribute)


def _names(attribute: Attribute) -> list[str]:
    if not isinstance(attribute, ArrayAttr):
        raise VerifyException(f"{FEATURE_NAMES} is {attribute}, expected an array of strings")
    names: list[str] = []
    for name in cast("ArrayAttr[Attribute]", attribute):
        if not isinstance(name, StringAttr | BytesAttr):
            raise VerifyException(f"{FEATURE_NAMES} holds {name}, expected an array of strings")
        # The parser makes bytes of a string with characters other than ASCII.
        names.append(name.data if isinstance(name, StringAttr) else name.data.decode())
    return names


FEATURE_NAMES = OwnAttribute(
    "tdsl.feature_names",
    {Place.MODULE: read_by("an array of strings", _names)},
    "The name of each feature in the order of the input.",
)
