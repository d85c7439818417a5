"""The numbers of a model in RAM, and the function that says where the caller writes them."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import i8
from xdsl.ir import Block, Region

from tinyml.dialects import c
from tinyml.dialects.c.types import RAM
from tinyml.lowering.c.interface.signatures import Signatures

WEIGHTS, LOADED, WEIGHTS_BYTES = "weights", "weights_in_ram", "WEIGHTS_BYTES"
"""The ends of the names of the function, of the structure and of the macro with its size."""


def loaded_weights(signatures: Signatures, arrays: Iterable[c.ConstantOp]) -> tuple[c.LoadedOp, c.FuncOp]:
    """The structure of a program's numbers, those of larger elements first, and `NAME_weights`."""
    ordered = sorted(arrays, key=lambda op: -op.element_size)
    loaded = c.LoadedOp(LOADED, Region(Block(ordered)))
    body = signatures.body({})
    address = c.SymbolOp(LOADED, i8, RAM)
    body.add_ops([address, c.ReturnOp(address.result)])
    text = (
        f"Where to write the {len(loaded.content)} bytes of {signatures.name}.weights, once before the first "
        f"{signatures.name}_predict."
    )
    return loaded, signatures.function(WEIGHTS, [c.PointerType(i8)], text, body)
