"""What a model says about itself to people, as attributes of the module that no pass reads.

A program computes the index of a class; callers want the label that the model was trained with. The columns of a data
frame are compared by name with the features of the training data. A program that does not fit names the parts whose
number training decides, such as support vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, BytesAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.own_attributes import NAME, UNIT, OwnAttribute, Place, integer, read_by, record

__all__ = [
    "CLASSES",
    "CLUSTERS",
    "FEATURE_NAMES",
    "STORED",
    "StoredExamples",
    "classes_of",
    "feature_names_of",
    "set_classes",
    "set_feature_names",
    "set_stored",
    "stored_of",
]


CLUSTERS = OwnAttribute(
    "tdsl.clusters", {Place.MODULE: UNIT}, "The results are numbers of clusters: no data set says which are right."
)


LONGEST_LABEL = 200
"""The greatest length of a label in characters; C, pages and tables show labels in full."""


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
        if isinstance(label, StringAttr | BytesAttr):
            labels.append(_text(label))
        elif isinstance(label, IntegerAttr):
            labels.append(label.value.data)
        else:
            raise VerifyException(f"{CLASSES} holds {label}, expected an array of strings or of integers")
    if not labels:
        raise VerifyException(f"{CLASSES} is empty, expected the label of each class")
    _check_lengths(labels)
    return labels


def _text(attribute: StringAttr | BytesAttr) -> str:
    """The characters of a string, of which the parser makes bytes where they are not all ASCII."""
    return attribute.data if isinstance(attribute, StringAttr) else attribute.data.decode()


CLASSES = OwnAttribute(
    "tdsl.classes",
    {Place.MODULE: read_by("an array of strings or of integers", _labels)},
    "The label of each class in order: all strings, or all 64-bit integers.",
)


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
        names.append(_text(name))
    return names


FEATURE_NAMES = OwnAttribute(
    "tdsl.feature_names",
    {Place.MODULE: read_by("an array of strings", _names)},
    "The name of each feature in the order of the input.",
)


STORED = OwnAttribute(
    "tdsl.stored",
    {
        Place.MODULE: record(
            "a dictionary of `count`, `what` and `smaller`", {"count": integer(0), "what": NAME, "smaller": NAME}
        )
    },
    "The count of what takes most of a model, what it is, and what makes it smaller.",
)


@dataclass(frozen=True)
class StoredExamples:
    """Parts of a model whose number training decides. what: their name in the plural. smaller: how to train fewer."""

    count: int
    what: str
    smaller: str


def set_stored(module: ModuleOp, stored: StoredExamples) -> None:
    """Record the parts of a model whose number training decides."""
    module.attributes[STORED] = DictionaryAttr(
        {
            "count": IntegerAttr(stored.count, i64),
            "what": StringAttr(stored.what),
            "smaller": StringAttr(stored.smaller),
        }
    )


def stored_of(module: ModuleOp) -> StoredExamples | None:
    """The parts that `set_stored` recorded; None without any, or for an attribute that `set_stored` would not write."""
    attribute = module.attributes.get(STORED)
    if not isinstance(attribute, DictionaryAttr):
        return None
    match [attribute.data.get(name) for name in ("count", "what", "smaller")]:
        case [IntegerAttr() as count, StringAttr() as what, StringAttr() as smaller]:
            return StoredExamples(count.value.data, what.data, smaller.data)
        case _:
            return None
