"""The parts of a model whose number training decides, such as support vectors: an attribute of the module.

A program that does not fit names by it what makes the model smaller. No pass reads it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64

from tinyml.dialects.own_attributes import NAME, OwnAttribute, Place, integer, record

__all__ = ["STORED", "StoredExamples", "set_stored", "stored_of"]

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
    """Parts of a model. what: their name in the plural. smaller: what training with fewer or smaller ones takes."""

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
