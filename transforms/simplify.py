"""`simplify`: applies folds and canonicalization patterns, merges common subexpressions and erases dead ops.

It repeats these steps until nothing changes. The result equals the result of running xDSL's `canonicalize` and `cse`
alternately, but takes less time. Those passes query each op for its traits and effects on every visit. They walk over
all ops until neither pass changes anything.

This pass queries traits once per class of ops. It visits an op after the ops that define its operands, so that users
see changed operands in the same walk. It finds dead ops in one walk from the last op to the first. It walks again only
if an op before the current position has changed, has lost users, or contains an op that changed. Sums and products of
integers make up most ops of lowered loops. For these ops the pass checks for constant operands before it tries folds
and patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import NamedTuple, cast

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.folder import Folder
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.post_order import PostOrderIterator
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriter, RewritePattern
from xdsl.traits import (
    Commutative,
    ConstantLike,
    HasCanonicalizationPatternsTrait,
    HasFolder,
    IsolatedFromAbove,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    RecursiveMemoryEffect,
    SymbolOpInterface,
    get_effects,
)
from xdsl.transforms.canonicalization_patterns.arith import (
    SignlessIntegerBinaryOperationConstantProp,
    SignlessIntegerBinaryOperationZeroOrUnitRight,
)
from xdsl.transforms.canonicalization_patterns.scf import RehoistConstInLoops
from xdsl.transforms.dead_code_elimination import result_only_effects

from tinyml.dialects.rewriting import Rewriter, inherit_location


class SimplifyPass(ModulePass):
    """Fold and canonicalize ops, replace each op by an equal op before it, and erase dead ops, until nothing
    changes.
    """

    name = "simplify"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        walk = _Walk(ctx)
        walk.erase_dead(op.body)
        while walk.over(op.body):
            walk.erase_dead(op.body)
            if not walk.revisit():
                break


READS, WRITES, ALLOCATES, UNKNOWN = 1, 2, 4, 8
"""The effects of an op, as bits of a number. UNKNOWN stands for effects that are not known, and for freed memory."""

_BITS = {MemoryEffectKind.READ: READS, MemoryEffectKind.WRITE: WRITES, MemoryEffectKind.ALLOC: ALLOCATES}


_ON_INTEGERS = (SignlessIntegerBinaryOperationConstantProp, SignlessIntegerBinaryOperationZeroOrUnitRight)


class _Rules(NamedTuple):
    """The properties that all ops of one class have in common.

    constant: whether the ops fold to themselves.
    of_integers: whether an op can fold or match a pattern only if some of its operands are constants.
    fold: the function that folds an op; None if the ops have no fold.
    pattern: all canonicalization patterns of the ops as one pattern; None if there are none.
    effects: the effects of the ops; None if they differ from op to op.
    recursive: whether an op has the effects of the ops in its regions.
    stays: true for terminators and symbols, which are never dead.
    isolated: whether the regions of the ops use no values from outside.
    hoists: whether constants of the ops' bodies move before the ops.
    """

    constant: bool
    of_integers: bool
    fold: Callable[[Operation], object] | None
    pattern: RewritePattern | None
    effects: int | None
    recursive: bool
    stays: bool
    isolated: bool
    hoists: bool


@cache
def _rules_of(kind: type[Operation]) -> _Rules:
    constant = kind.has_trait(ConstantLike)
    folder = None if constant else kind.get_trait(HasFolder)
    traits = kind.get_traits_of_type(HasCanonicalizationPatternsTrait)
    stated = [pattern for trait in traits for pattern in trait.get_patterns(kind)]
    # `_hoist` moves the constants, but the pattern makes new ones.
    patterns = [pattern for pattern in stated if not isinstance(pattern, RehoistConstInLoops)]
    of_integers = (
        issubclass(kind, arith.SignlessIntegerBinaryOperation)
        and kind.fold is arith.SignlessIntegerBinaryOperation.fold
        and all(isinstance(pattern, _ON_INTEGERS) for pattern in patterns)
    )
    pattern = (
        GreedyRewritePatternApplier(patterns, dce_enabled=False) if len(patterns) > 1 else next(iter(patterns), None)
    )
    declared = kind.get_traits_of_type(MemoryEffect)
    return _Rules(
        constant,
        of_integers,
        None if folder is None else folder.fold,
        pattern,
        _constant_effects(declared),
        bool(declared) and all(type(trait) is RecursiveMemoryEffect for trait in declared),
        kind.has_trait(IsTerminator) or kind.has_trait(SymbolOpInterface),
        kind.has_trait(IsolatedFromAbove),
        len(patterns) < len(stated),
    )


def _constant_effects(declared: list[MemoryEffect]) -> int | None:
    effects = 0 if declared else UNKNOWN
    for trait in declared:
        if isinstance(trait, MemoryReadEffect):
            effects |= READS
        elif isinstance(trait, MemoryWriteEffect):
            effects |= WRITES
        elif not isinstance(trait, NoMemoryEffect):
            return None
    return effects


def _effects_of(op: Operation) -> int:
    """A bit set of the effects of an op and of the ops in its regions. The search ends at the first effect that is a
    write or unknown, because no caller needs to distinguish further effects.
    """
    rules = _rules_of(type(op))
    if rules.effects is not None:
        return rules.effects
    if not rules.recursive:
        effects = get_effects(op)
        return UNKNOWN if effects is None else sum({_BITS.get(effect.kind, UNKNOWN) for effect in effects})
    found = 0
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                found |= _effects_of(inner)
                if found & (WRITES | UNKNOWN):
                    return found
    return found


def _is_dead(op: Operation) -> bool:
    if any(result.first_use is not None for result in op.results) or _rules_of(type(op)).stays:
        return False
    return not _effects_of(op) & (WRITES | UNKNOWN) and result_only_effects(op)


def _may_change(op: arith.SignlessIntegerBinaryOperation) -> bool:
    """Whether an op may fold or match a pattern, as far as this depends on which of its operands are constant."""
    left, right = _integer(op.lhs), _integer(op.rhs)
    if left is None or right is None:
        if right is None:
            return left is not None and op.has_trait(Commutative)
        return op.is_right_zero(right) or op.is_right_unit(right)
    return True


def _integer(value: SSAValue) -> IntegerAttr | None:
    maker = value.owner
    return maker.value if type(maker) is arith.ConstantOp and isinstance(maker.value, IntegerAttr) else None


class _Key:
    """A hashable key. The keys of two ops are equal if the ops differ at most in their regions.

    The hash includes the properties only of ops with at most one operand, such as constants and views of an arena.
    Other ops of a class rarely have the same operands, and hashing attributes is slow, because they do not cache their
    hashes.
    """

    __slots__ = ("hash", "parts")

    def __init__(self, op: Operation):
        kind, operands, properties, attributes = type(op), tuple(op.operands), _items(op.properties), op.attributes
        self.parts = kind, operands, properties, tuple(result.type for result in op.results), _items(attributes)
        self.hash = hash(self.parts[:2] if len(operands) > 1 else self.parts[:3])

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.parts == other.parts


def _items(attributes: Mapping[str, Attribute]) -> tuple[tuple[str, Attribute], ...]:
    items = tuple(attributes.items())
    return items if len(items) < 2 else tuple(sorted(items, key=_name))


def _name(item: tuple[str, Attribute]) -> str:
    return item[0]


class _Walk:
    """A walk over ops from the first to the last.

    known: for each key, the last op with that key in the current region or an enclosing one.
    changed: ops that were inserted or changed since the walk last visited them.
    unsettled: ops that have lost a user since the last visit, and ops that contain changed ops.
    """

    def __init__(self, ctx: Context):
        self.folder = Folder(ctx)
        self.known: dict[_Key, Operation] = {}
        self.changed: dict[Operation, None] = {}
        self.unsettled: dict[Operation, None] = {}

    def revisit(self) -> bool:
        """Return whether another walk is necessary: if a visited op has changed, or if an op in `unsettled` can now be
        rewritten. The first such op is rewritten at once. The method clears `changed` and `unsettled`.
        """
        changed, unsettled = self.changed, self.unsettled
        self.changed, self.unsettled = {}, {}
        return any(op.parent is not None for op in changed) or any(
            op.parent is not None and self._rewritten(op) for op in unsettled
        )

    def erase_dead(self, region: Region) -> None:
        """Erase dead ops, users before the ops that they use, and unreachable blocks."""
        reached = [*PostOrderIterator(region.blocks[0])] if region.blocks else []
        for block in reached:
            for op in reversed(block.ops):
                if _is_dead(op):
                    self._lose(op)
                    block.erase_op(op, safe_erase=False)
                else:
                    for inner in op.regions:
                        self.erase_dead(inner)
        for block in [block for block in region.blocks if block not in reached]:
            region.erase_block(block, safe_erase=False)
            # A block that followed two others may now be merged into the remaining one.
            self.changed |= dict.fromkeys(reached[0].ops)

    def _lose(self, op: Operation) -> None:
        for operand in op.operands:
            if isinstance(owner := operand.owner, Operation):
                self.unsettled[owner] = None
        self._unsettle_around(op)

    def _change(self, op: Operation) -> None:
        self.changed[op] = None
        self._unsettle_around(op)

    def _unsettle_around(self, op: Operation) -> None:
        if (around := op.parent_op()) is not None:
            self.unsettled[around] = None

    def over(self, region: Region) -> bool:
        changed = False
        known = self.known
        for block in region.blocks:
            # Ops of one block do not dominate those of another, whatever their order.
            self.known = dict(known)
            changed |= self._block(block)
        self.known = known
        return changed

    def _block(self, block: Block) -> bool:
        changed = False
        op = block.first_op
        while op is not None:
            before = op.prev_op
            self.changed.pop(op, None)
            self.unsettled.pop(op, None)
            if self._rewritten(op):
                changed = True
                # The ops that replaced it are next.
                op = block.first_op if before is None or before.parent is not block else before.next_op
                continue
            if op.regions:
                outside = self.known
                if _rules_of(type(op)).isolated:
                    self.known = {}
                for region in op.regions:
                    changed |= self.over(region)
                self.known = outside
            following = op.next_op
            changed |= self._merge(op)
            op = following
        return changed

    def _rewritten(self, op: Operation) -> bool:
        rules = _rules_of(type(op))
        if rules.of_integers and not _may_change(cast(arith.SignlessIntegerBinaryOperation, op)):
            return False
        if (
            rules.fold is not None
            and rules.fold(op) is not None
            and self.folder.replace_with_fold(op, self._rewriter(op)) is not None
        ):
            return True
        if rules.pattern is not None:
            rewriter = self._rewriter(op)
            rules.pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                return True
        return rules.hoists and self._hoist(op)

    def _hoist(self, loop: Operation) -> bool:
        """Move the constants of a loop's body before the loop. Return whether any were moved."""
        constants = [inner for inner in loop.regions[0].block.ops if _rules_of(type(inner)).constant]
        around = loop.parent
        if around is None or not constants:
            return False
        for constant in constants:
            constant.detach()
            self._change(constant)
        around.insert_ops_before(constants, loop)
        self._unsettle_around(loop)
        self.unsettled[loop] = None
        return True

    def _rewriter(self, op: Operation) -> PatternRewriter:
        rewriter = PatternRewriter(op)
        rewriter.operation_insertion_handler += (partial(inherit_location, op.location), self._change)
        rewriter.operation_modification_handler.append(self._change)
        rewriter.operation_removal_handler.append(self._lose)
        return rewriter

    def _merge(self, op: Operation) -> bool:
        """Replace an op by an equal op before it. Return whether the op was replaced."""
        if not op.results or _rules_of(type(op)).stays or any(len(region.blocks) > 1 for region in op.regions):
            return False
        effects = _effects_of(op)
        if effects & ~READS:
            return False
        key = _Key(op)
        equal = self.known.get(key)
        # A pattern may have erased or changed an op since the walk visited it.
        if equal is not None and equal.parent is not None and _Key(equal) == key and _same_regions(op, equal):
            stays_valid = not effects or not _is_written_between(equal, op)
            if stays_valid:
                for result, other in zip(op.results, equal.results, strict=True):
                    result.replace_all_uses_with(other)
                self._lose(op)
                Rewriter.erase_op(op)
                return True
        self.known[key] = op
        return False


def _same_regions(op: Operation, other: Operation) -> bool:
    return all(one.is_structurally_equivalent(two) for one, two in zip(op.regions, other.regions, strict=True))


def _is_written_between(first: Operation, last: Operation) -> bool:
    """Whether `first`, or an op between the two ops, may write to memory. Always true if the two ops are in different
    blocks.
    """
    if first.parent is not last.parent:
        return True
    op: Operation | None = first
    while op is not None and op is not last:
        if _effects_of(op) & (WRITES | UNKNOWN):
            return True
        op = op.next_op
    return False
