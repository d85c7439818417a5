"""Verification of a module between passes, not repeated after a pass that changed nothing."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from tinyml.transforms.ir.levels import Level, check_level, level_of


class Verification:
    """The verification of one module between the passes of a pipeline.

    It keeps the operations that it has seen alive, so that no new one is taken for an old one.
    """

    def __init__(self) -> None:
        self._structure: list[object] = []
        self._levels: set[Level] = set()
        """Levels that the structure is known to be of."""

    def check(self, module: ModuleOp, after: ModulePass | None) -> None:
        """Verify a module; raises `InputError` if it is not of the level that the next pass takes."""
        structure = structure_of(module)
        if structure != self._structure:
            self._structure, self._levels = [], set()
            module.verify()
            self._structure = structure
        if after is not None and (level := level_of(after)) is not None and level not in self._levels:
            check_level(after, module)
            self._levels.add(level)


def structure_of(op: Operation) -> list[object]:
    """All that verification of an operation depends on: two equal structures verify alike.

    It is flat, in the order of the text; operations, values, blocks and regions are equal only to themselves.
    """
    structure: list[object] = []
    _add_operation(structure, op)
    return structure


def _add_operation(structure: list[object], op: Operation) -> None:
    operands, results, regions, successors = tuple(op.operands), tuple(op.results), op.regions, op.successors
    structure.append((op, op.parent, operands, results, tuple(regions), tuple(successors)))
    structure += [value.type for value in (*operands, *results)]
    structure += [op.properties.copy(), op.attributes.copy()]
    for region in regions:
        for block in region.blocks:
            _add_block(structure, block)


def _add_block(structure: list[object], block: Block) -> None:
    arguments = tuple(block.args)
    structure.append((block, block.parent, arguments))
    structure += [argument.type for argument in arguments]
    for op in block.ops:
        _add_operation(structure, op)
