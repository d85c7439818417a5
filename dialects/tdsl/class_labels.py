"""The labels of a classifier's classes, an attribute of the module.

A program computes the index of a class; callers want the label that the model was trained with. No pass reads labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, BytesAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.own_attributes import UNIT, OwnAttribute, Place, read_by

__all__ = ["CLASSES", "CLUSTERS", "classes_of", "set_classes"]

CLUSTERS = OwnAttribute(
    "tdsl.clusters", {Place.MODULE: UNIT}, "The results are numbers of clusters: no data set says which are right."
)


LONGEST_LABEL = 200
"""The most characters of a label, which C, pages and tables show whole."""


def set_classes(module: ModuleOp, classes: Sequence[str | int]) -> None:
    """Label the classes of a program, in the order of their indices.

    Raises `VerifyException` for fewer than two labels, for two equal ones, for strings among integers, and for one that
    is too long.
    """
    _check_lengths(classes)
    texts = [label for label in classes if isinstance(label, str)]
    if len(classes) < 2 or len(set(classes)) < len(classes) or len(texts) not in (0, len(classes)):
        raise VerifyException(f"expected two or more different labels, all strings or all integers, got {[*classes]}")
    labels = [StringAttr(label) if isinstance(label, str) else IntegerAttr(label, i64) for label in classes]
    module.attributes[CLASSES] = ArrayAttr(labels)


def _check_lengths(labels: Sequence[str | int]) -> None:
    longest = max((len(label) for label in labels if isinstance(label, str)), default=0)
    if longest > LONGEST_LABEL:
        raise VerifyException(f"the label of a class has {longest:,} characters, expected at most {LONGEST_LABEL}")


def classes_of(module: ModuleOp) -> list[str | int] | None:
    """The label of each class of a program; None for a program without labels.

    Raises `VerifyException` for an attribute that `set_classes` would not write.
    """
    if (attribute := module.attributes.get(CLASSES)) is None:
        return None
    return _labels(attribute)


def _labels(attribute: Attribute) -> list[str | int]:
    """The labels of an attribute `tdsl.classes`; raises `VerifyException` for one that `set_classes` does not write."""
    if not isinstance(attribute, ArrayAttr):
        raise VerifyException(f"{CLASSES} is {attribute}, expected an array of strings or of integers")
    labels: list[str | int] = []
    for label in cast("ArrayAttr[Attribute]", attribute):
        if isinstance(label, StringAttr):
            labels.append(label.data)
        elif isinstance(label, BytesAttr):
            # What the parser makes of a string with characters other than ASCII.
            labels.append(label.data.decode())
        elif isinstance(label, IntegerAttr):
            labels.append(label.value.data)
        else:
            raise VerifyException(f"{CLASSES} holds {label}, expected an array of strings or of integers")
    _check_lengths(labels)
    return labels


CLASSES = OwnAttribute(
    "tdsl.classes",
    {Place.MODULE: read_by("an array of strings or of integers", _labels)},
    "The label of each class in order: all strings, or all 64-bit integers.",
)
