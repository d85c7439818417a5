"""The digest of a program. Equal programs, which have the same ops, attributes, types and uses of values, have equal
digests.

Names of values and source locations do not affect the digest. It is the same in every process, so that facts about a
program can be stored in a file.
"""

from __future__ import annotations

import hashlib
from typing import Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

MAX_SPELLED = 1 << 14
"""The number of attributes whose digests are cached for other programs."""

_spelled: dict[Attribute, str] = {}


def digest_of(module: ModuleOp) -> str:
    """The SHA-256 digest of a program. Equal programs have equal digests."""
    places: dict[Operation | SSAValue | None, int] = {None: 0}
    digest = hashlib.sha256()
    for op in module.walk():
        read = [places[what] for what in (op.parent_op(), *op.operands)]
        given = [f"{name}={_of(value)}" for name, value in sorted([*op.properties.items(), *op.attributes.items()])]
        made = [*op.results, *(argument for region in op.regions for block in region.blocks for argument in block.args)]
        for what in (op, *made):
            places[what] = len(places)
        types = [_of(value.type) for value in made]
        digest.update(f"{op.name} {read} {given} {types} {[len(region.blocks) for region in op.regions]}\n".encode())
    return digest.hexdigest()


def _of(attribute: Attribute) -> str:
    if isinstance(attribute, DenseIntOrFPElementsAttr):
        # Not cached, since this would keep weights in memory.
        constant = cast("DenseIntOrFPElementsAttr[Any]", attribute)
        return f"{_of(constant.type)} {hashlib.sha256(constant.data.data).hexdigest()}"
    if (known := _spelled.get(attribute)) is None:
        if len(_spelled) >= MAX_SPELLED:
            _spelled.clear()
        known = _spelled[attribute] = hashlib.sha256(str(attribute).encode()).hexdigest()[:32]
    return known
