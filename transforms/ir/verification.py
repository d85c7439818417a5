"""Incremental verification of a module between the passes of a pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from tinyml.transforms.ir.levels import Level, check_level, level_of


class Record(NamedTuple):
    """The state of an operation, from which a change is detected.

    parent, last: its block, and whether it is the last op of the block.
    values, types: its operands and results, and their types.
    properties, attributes: copies of its properties and attributes.
    blocks: the blocks of its regions, each with its arguments and their types.
    successors: the blocks to which it may branch.
    """

    parent: Block | None
    last: bool
    values: tuple[SSAValue, ...]
    types: tuple[Attribute, ...]
    properties: dict[str, Attribute]
    attributes: dict[str, Attribute]
    blocks: tuple[tuple[Block, tuple[SSAValue, ...], Sequence[Attribute]], ...]
    successors: tuple[Block, ...]


Records: TypeAlias = dict[Operation, Record]


def records_of(module: ModuleOp, before: Records | None = None) -> Records:
    """The record of every operation of a module, in program order.

    before: earlier records, which are reused for unchanged operations. New records for all operations would start the
    garbage collector several times between two passes.
    """
    known = before or {}
    records: Records = {}
    for op in module.walk():
        record, old = _record_of(op), known.get(op)
        records[op] = old if old is not None and record == old else record
    return records


def _record_of(op: Operation) -> Record:
    values = (*op.operands, *op.results)
    return Record(
        op.parent,
        op.next_op is None,
        values,
        tuple([value.type for value in values]),
        op.properties.copy(),
        op.attributes.copy(),
        tuple([(block, tuple(block.args), block.arg_types) for region in op.regions for block in region.blocks]),
        tuple(op.successors),
    )


class Verification:
    """The verification of a module between the passes of a pipeline.

    The whole module is verified before the first pass and after the last pass, unless it is unchanged. Between passes
    only changed operations are verified. For each changed operation, this includes the definitions of its operands, its
    users, and the ops inside and around it. Other ops that depend on a change, such as the users of a symbol, are
    verified at the end.
    """

    def __init__(self) -> None:
        # Verified operations are kept alive, so that a new one cannot be mistaken for an old one.
        self.records: Records = {}
        self.whole = False
        self.levels: set[Level] = set()

    def between(self, before: ModulePass | None, module: ModuleOp, after: ModulePass | None) -> None:
        """Verify a module between two passes. Raises `InputError` unless the module has the level of the next pass.

        before, after: the previous and the next pass; None at the start and at the end of the pipeline.
        """
        records, at_end = records_of(module, self.records), before is None or after is None
        changed = records != self.records or [*records] != [*self.records]
        if changed:
            self.levels.clear()
        if at_end and (changed or not self.whole):
            module.verify()
        elif changed:
            around = {op for altered in _changed(records, self.records) for op in _around(altered)}
            # The verifier of an operation may rely on the operations inside it.
            for op in module.walk(region_first=True):
                if op in around:
                    op.verify(verify_nested_ops=False)
        self.whole = at_end or (self.whole and not changed)
        self.records = records
        if after is not None and (level := level_of(after)) is not None and level not in self.levels:
            check_level(after, module)
            self.levels.add(level)


def _changed(records: Records, before: Records) -> set[Operation]:
    changed = {op for op, record in records.items() if before.get(op) is not record}
    for op, record in before.items():
        gone = op not in records or records[op].parent is not record.parent
        if gone and record.parent is not None and (parent := record.parent.parent_op()) is not None:
            changed.add(parent)
    return changed


def _around(op: Operation) -> Iterator[Operation]:
    container: Operation | None = op
    while container is not None:
        yield container
        container = container.parent_op()
    yield from (operand.owner for operand in op.operands if isinstance(operand.owner, Operation))
    yield from (use.operation for result in op.results for use in result.uses)
    for region in op.regions:
        for block in region.blocks:
            yield from block.ops
