"""`choose-votes`: lets every tree of a forest vote for a single class (L0).

In scikit-learn's forests, the class probabilities of the leaves are added; these are soft votes. A hard vote is one
vote for the most probable class. With hard votes, a leaf needs four bits instead of a byte for each class. The
predictions of some inputs change.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.conditional_pass import ConditionalPass

SOFT, HARD = VOTES = ("soft", "hard")


@dataclass(frozen=True)
class ChooseVotesPass(ConditionalPass):
    """Replace the soft votes of all `tdsl.forest` ops by hard votes, so that each tree votes for a single class.

    votes: `soft` changes nothing. With `hard`, each leaf votes for its most probable class, or for the first of equally
    probable classes. A vote is the greatest power of two for which the votes of all trees add up to at most 1, so that
    the profiled ranges remain valid.

    Raises `InputError` for a value of `votes` other than `soft` and `hard`. With `hard`, it is also raised for a
    program without a forest, and for a forest whose leaves are not probabilities of several classes, such as boosted
    trees.
    """

    name = "choose-votes"
    votes: str = SOFT

    def obstacle(self, module: ModuleOp) -> str | None:
        return f"only if votes={HARD}" if self.votes == SOFT else None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.votes not in VOTES:
            raise InputError(f"votes are {' or '.join(VOTES)}, got '{self.votes}'")
        if self.obstacle(op) is not None:
            return
        forests = [each for each in op.walk() if isinstance(each, tdsl.ForestOp)]
        if not forests:
            raise error_at(op, "hard votes need a forest, the program has none")
        for forest in forests:
            _harden(forest)


def _harden(forest: tdsl.ForestOp) -> None:
    constant = tdsl.constant_root(forest.votes)
    if constant is None or (shares := constant.raws).shape[1] < 2 or (shares < 0).any() or not shares.any(1).all():
        raise error_at(forest, "hard votes need leaves with shares of several classes")
    vote = 0.5 ** (len(forest.trees.roots) - 1).bit_length()
    hard = vote * np.eye(shares.shape[1], dtype=shares.dtype)[shares.argmax(1)]
    new = constant.with_raws(hard.astype(shares.dtype), tdsl.format_of(constant.result))
    Rewriter.insert_op(new, InsertPoint.before(constant))
    forest.operands[1] = new.result
    if not constant.result.uses:
        Rewriter.erase_op(constant)
