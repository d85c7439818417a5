"""Functions in plain C that evaluate forests.

A function contains either tables of nodes, which a loop interprets, or nested conditions. Both forms add the votes of
the leaf that each tree reaches. The votes are rows of a matrix or, if most votes are zero, lists of the nonzero votes.
On chips with a separate address space for constants, such arrays would not be placed in this address space. For these
chips, the votes are therefore constants in the code instead of arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tinyml.dialects.layouts.trees import ForestCode, ordered
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.c.composer.constants_in_c import constant_array
from tinyml.targets.kernel import Composed, Kernel
from tinyml.targets.kernel_table import ForestCoder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.layouts.trees import Trees

_C_TYPES = {
    "int8": "int8_t",
    "uint8": "uint8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "float32": "float",
}

TABLES, CODE = "tm_forest_tables", "tm_forest_code"
"""The prefixes of the functions that contain tables and nested conditions."""

PLAIN = "tm_forest_plain"
"""The prefix of the functions that are compiled to conditions without arrays (`forest_inline`)."""
FOREST_STEPS = (TABLES, CODE, PLAIN)
"""The prefixes of the steps of forests in cost tables, which are those of their functions."""

_TABLE_NODE, _CODE_NODE, _VOTE, _TREE = 8.0, 5.0, 5.0, 8.0
"""Approximate instructions of a Cortex-M4 for a node in a table, a node in code, a vote and a tree."""
_TABLES, _NODE, _LEAF = 120, 14, 10
"""Bytes of flash: the loop over tables, and a node and a leaf as code."""

_UNROLLED, _UNROLLED_BYTES = 3, 2
"""The results up to which the C compiler unrolls the addition of votes, and of votes whose sums have one byte."""
_IN_REGISTERS = 2
"""The features of four bytes that a small chip keeps in registers."""


def ctype(array: NDArray[Any]) -> str:
    return _C_TYPES[array.dtype.newbyteorder("=").name]


def forest_signature(symbol: str, forest: ForestCode, pointer: str = "*") -> str:
    """The signature of a forest's C function.

    pointer: the declarator of the pointer to the input, with qualifiers.
    """
    return f"void {symbol}(const {ctype(forest.trees.thresholds)} {pointer}x, {ctype(forest.votes)} *out)"


def literal(number: Any) -> str:
    """A number as a C literal."""
    if isinstance(number, int):
        # The least 32-bit integer has no literal of its own.
        return str(number) if number > -(1 << 31) else f"({number + 1} - 1)"
    return f"{np.float32(number).item().hex()}f"


class _Votes:
    """The C text that adds the votes of a leaf.

    arrays: the declarations of constant arrays.
    bytes: the size of these arrays.
    added: the statement, for the leaf with the index `leaf`.
    """

    def __init__(self, forest: ForestCode) -> None:
        self.forest, votes, element = forest, forest.votes, ctype(forest.votes)
        if forest.is_sparse:
            rows, columns = np.nonzero(votes)
            starts = np.searchsorted(rows, np.arange(len(votes) + 1))
            self.arrays = [
                *_unsigned("starts", starts),
                *_unsigned("results", columns),
                *_votes(votes[rows, columns]),
            ]
            self.bytes = _size(starts) + _size(columns) + rows.size * _narrow(votes).itemsize
            loop = "for (uint_fast16_t i = starts[leaf]; i < starts[leaf + 1]; i++)"
            self.added = [loop, f"    out[results[i]] = ({element})(out[results[i]] + votes[i]);"]
        else:
            self.arrays, self.bytes = _votes(votes), _narrow(votes).nbytes
            loop = f"for (int i = 0; i < {forest.results}; i++)"
            self.added = [loop, f"    out[i] = ({element})(out[i] + votes[leaf][i]);"]


def tables_in_c(forest: ForestCode) -> str:
    """The body of the C function that interprets tables of nodes."""
    trees, votes = forest.trees, _Votes(forest)
    lines: list[str] = []
    if trees.inner:
        lines += _unsigned("features", trees.features)
        thresholds = ordered(trees.thresholds)
        lines += _array(ctype(thresholds), "thresholds", thresholds)
        lines += _array("int16_t" if _is_short(forest) else "int32_t", "children", trees.children)
    lines += [*_array("int16_t" if _is_short(forest) else "int32_t", "roots", trees.roots), *votes.arrays]
    walk = ["        while (node >= 0)", "            node = children[node][x[features[node]] > thresholds[node]];"]
    if _has_floats(forest):
        walk = [
            "        while (node >= 0) {",
            "            const int32_t number = bits[features[node]];",
            "            node = children[node][(number ^ (number >> 31 & 0x7FFFFFFF)) > thresholds[node]];",
            "        }",
        ]
    lines += [
        *_bits_of_floats(forest),
        *_cleared(forest),
        f"    for (int tree = 0; tree < {len(trees.roots)}; tree++) {{",
        "        int_fast32_t node = roots[tree];",
        *(walk if trees.inner else ["        (void)x;"]),
        "        const uint_fast32_t leaf = (uint_fast32_t)(-1 - node);",
        *(f"        {line}" for line in votes.added),
        "    }",
    ]
    return "\n".join(lines)


def code_in_c(forest: ForestCode) -> str:
    """The body of the C function in which each node is a condition."""
    trees, votes = forest.trees, _Votes(forest)
    lines = [*votes.arrays, "    uint_fast16_t leaf;", *_bits_of_floats(forest), *_cleared(forest)]
    lines += ["    (void)x;"] if not trees.inner else []
    for root in map(int, trees.roots):
        lines += [*_conditions(forest, root), *(f"    {line}" for line in votes.added)]
    return "\n".join(lines)


def _inline_code(forest: ForestCode) -> str:
    lines = [*_bits_of_floats(forest), *_cleared(forest), *([] if forest.trees.inner else ["    (void)x;"])]
    for root in map(int, forest.trees.roots):
        lines += _conditions(forest, root, inline=True)
    return "\n".join(lines)


def _leaf(forest: ForestCode, leaf: int, *, inline: bool) -> list[str]:
    if not inline:
        return [f"    leaf = {leaf};"]
    element, votes = ctype(forest.votes), forest.votes[leaf]
    added = np.flatnonzero(votes).tolist()
    return [f"    out[{at}] = ({element})(out[{at}] + {literal(votes[at].item())});" for at in added]


def _conditions(forest: ForestCode, root: int, *, inline: bool = False) -> list[str]:
    """The lines of the conditions of a tree, which set `leaf` or, with `inline`, add votes.

    All lines have the same indentation, because trees may be deep.
    """
    trees, lines = forest.trees, list[str]()
    pending: list[int | str] = [root]
    while pending:
        match pending.pop():
            case str() as text:
                lines.append(f"    {text}")
            case node if node < 0:
                lines += _leaf(forest, -1 - node, inline=inline)
            case node:
                first, second = map(int, trees.children[node])
                lines.append(f"    if ({_comparison(forest, node)}) {{")
                pending += ["}", second, "} else {", first]
    return lines


def _comparison(forest: ForestCode, node: int) -> str:
    """The C condition of a node. Floats are compared by their bits, which decrease as negative numbers increase."""
    feature, threshold = int(forest.trees.features[node]), forest.trees.thresholds[node]
    if not _has_floats(forest):
        return f"x[{feature}] <= {literal(threshold.item())}"
    bits = int(threshold.view(np.uint32))
    return f"bits[{feature}] <= {bits}" if bits < 1 << 31 else f"(uint32_t)bits[{feature}] >= {bits}u"


def _has_floats(forest: ForestCode) -> bool:
    return forest.trees.thresholds.dtype.kind == "f" and forest.trees.inner > 0


def _bits_of_floats(forest: ForestCode) -> list[str]:
    if not _has_floats(forest):
        return []
    type = "    typedef int32_t __attribute__((__may_alias__)) bits_of_float;"
    return [type, "    const bits_of_float *const bits = (const bits_of_float *)(const void *)x;"]


def _cleared(forest: ForestCode) -> list[str]:
    return [f"    for (int i = 0; i < {forest.results}; i++)", "        out[i] = 0;"]


def _is_short(forest: ForestCode) -> bool:
    return max(forest.trees.inner, len(forest.votes)) < 1 << 15


def _unsigned(name: str, numbers: NDArray[Any]) -> list[str]:
    return constant_array(f"uint{_bits(numbers)}_t", name, numbers.shape, numbers.tolist())


def _bits(numbers: NDArray[Any]) -> int:
    greatest = int(numbers.max(initial=0))
    return next(bits for bits in (8, 16, 32) if greatest >> bits == 0)


def _size(numbers: NDArray[Any]) -> int:
    return numbers.size * _bits(numbers) // 8


def _votes(votes: NDArray[Any]) -> list[str]:
    narrow = _narrow(votes)
    return _array(ctype(narrow), "votes", narrow)


def _narrow(votes: NDArray[Any]) -> NDArray[Any]:
    if votes.dtype.kind == "f" or not votes.size:
        return votes
    kinds = ("i1", "u1", "i2", "i4")
    low, high = int(votes.min()), int(votes.max())
    return votes.astype(next(kind for kind in kinds if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max))


def _array(element: str, name: str, numbers: NDArray[Any]) -> list[str]:
    return constant_array(element, name, numbers.shape, list(map(literal, numbers.reshape(-1).tolist())))


def _kernel(symbol: str, forest: ForestCode, name: str, body: str, node: float, bytes: int) -> Kernel:
    trees = forest.trees
    times = _new_visits(trees) if _merges(forest, name) else trees.likely.sum(1)
    steps = _tests(forest, name, times) | _additions(forest, name, times)
    counts = {f"{name} {step}": count for step, count in steps.items()}
    costs = {"": round(node * trees.visits + _VOTE * forest.added + _TREE * len(trees.roots))}
    # With results of the type of the features, or features of one byte, the C compiler would otherwise load features
    # again after each tree and repeat their comparisons.
    signature = forest_signature(symbol, forest, "*__restrict__ ")
    text = _PlainForest("", signature, {}, body, costs, call=12, counts=counts)
    return Kernel(symbol, 8, 8, 32, op="num.forest", flash=None, code=bytes, composed=text)


def _tests(forest: ForestCode, name: str, times: NDArray[np.float64]) -> dict[str, float]:
    """The expected number of comparisons of each kind per inference. The keys are the names of the kinds in cost
    tables.

    name: the prefix of the forest's functions: `TABLES`, `CODE` or `PLAIN`.
    times: how often each node is expected to compare in an inference.

    In code without tables, the feature and the threshold of each comparison are constants of the C code. A feature
    remains in a register below the node that loads the feature. If the votes of several trees are added without a
    loop, it remains there for all trees, on small chips if there are few features. The C compiler then omits a
    comparison that an earlier tree has made. Floats are compared as integers by their bits.
    """
    trees, visits = forest.trees, forest.trees.likely.sum(1)
    compared = ctype(trees.thresholds)
    if name == TABLES:
        return {f"node {compared}": trees.visits}
    merges = _merges(forest, name)
    kind = "merged " if merges else ""
    kept = merges and (name == CODE or len(np.unique(trees.features)) <= _IN_REGISTERS)
    asked = np.bincount(trees.features, visits).clip(max=1) if kept else visits[trees.asks_first]
    has_sizes = name == CODE and not _has_floats(forest)
    sizes: Mapping[str, NDArray[np.bool_]] = _sizes(trees.thresholds) if has_sizes else {}
    return {
        f"{kind}node {compared}": float(times.sum()),
        **({"repeated node": _repeated(trees, visits - times, times)} if merges else {}),
        f"{'kept ' if kept else ''}feature {compared}": float(asked.sum()),
        **{f"{kind}{size} threshold": float(times[these].sum()) for size, these in sizes.items()},
    }


def _merges(forest: ForestCode, name: str) -> bool:
    """Whether the C compiler omits comparisons that an earlier tree has made, which it cannot in tables."""
    return name != TABLES and len(forest.trees.roots) > 1 and (name == PLAIN or _adds_in_a_row(forest))


def _adds_in_a_row(forest: ForestCode) -> bool:
    """Whether the C compiler unrolls the addition of a leaf's votes."""
    limit = _UNROLLED_BYTES if forest.votes.itemsize == 1 else _UNROLLED
    return not forest.is_sparse and forest.results <= limit


def _new_visits(trees: Trees) -> NDArray[np.float64]:
    """How often each node is expected, in an inference, to make a comparison whose result no earlier tree implies.

    Trees that make the same comparison are assumed to make it for the same samples. Comparisons of a feature with other
    thresholds imply the result for the samples beyond these thresholds, as many as there are at their nodes.
    """
    visits: NDArray[np.float64] = trees.likely.sum(1)
    features, thresholds = trees.features.tolist(), trees.thresholds.tolist()
    below = (trees.likely[:, 0] / np.maximum(visits, 1e-9)).tolist()
    made: dict[int, dict[float, tuple[float, float]]] = {}
    new = np.zeros(len(visits))
    for root in trees.roots.tolist():
        own: dict[tuple[int, float], tuple[float, float]] = {}
        for node in _inner(trees, root):
            test, times = (features[node], thresholds[node]), float(visits[node])
            new[node] = _undecided(test[1], times, made.get(test[0], {}))
            asked, _ = own.get(test, (0.0, 0.0))
            own[test] = min(1.0, asked + times), below[node]
        for (feature, threshold), (asked, share) in own.items():
            earlier, _ = made.setdefault(feature, {}).get(threshold, (0.0, 0.0))
            made[feature][threshold] = max(earlier, asked), share
    return new


def _undecided(threshold: float, times: float, made: Mapping[float, tuple[float, float]]) -> float:
    """How often earlier comparisons of a feature leave the result of a comparison open.

    times: how often the comparison is expected.
    made: for each earlier threshold of the feature, how often it was compared, and the fraction of samples below it.
    """
    if threshold in made:
        return max(0.0, times - made[threshold][0])
    lower = max((bound for bound in made if bound < threshold), default=None)
    upper = min((bound for bound in made if bound > threshold), default=None)
    decided = 0.0
    if lower is not None:
        decided += made[lower][0] * made[lower][1]
    if upper is not None:
        decided += made[upper][0] * (1 - made[upper][1])
    return times * max(0.0, 1 - decided)


def _remaining(trees: Trees, new: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each tree after the first, the expected fraction of inferences in which it makes a new comparison. In all
    others, the C compiler adds its votes to those of the trees before it.

    new: as `_new_visits` returns it.
    """
    return np.array([min(1.0, new[_inner(trees, root)].sum()) for root in trees.roots[1:].tolist()])


def _repeated(trees: Trees, repeated: NDArray[np.float64], new: NDArray[np.float64]) -> float:
    """How many comparisons of earlier trees are expected in trees that also make a new comparison.

    repeated: how often each node is expected to repeat a comparison.
    new: as `_new_visits` returns it.
    """
    of_trees = [repeated[_inner(trees, root)].sum() for root in trees.roots[1:].tolist()]
    return float(_remaining(trees, new) @ np.array(of_trees))


def _inner(trees: Trees, root: int) -> list[int]:
    return [node for node in trees.below(root) if node >= 0]


def _sizes(thresholds: NDArray[Any]) -> Mapping[str, NDArray[np.bool_]]:
    """For each range of constants that instructions encode in the same way (such as `byte`), a mask of the thresholds
    in this range. Thresholds 0 and -1 are in no mask.
    """
    numbers = thresholds.astype(np.int64)
    byte, negative = (numbers > 0) & (numbers < 255), (numbers < -1) & (numbers > -256)
    short = (numbers >= -2048) & (numbers < 2047) & ~byte & ~negative & (numbers != 0) & (numbers != -1)
    return {"byte": byte, "negative": negative, "short": short, "long": (numbers < -2048) | (numbers >= 2047)}


def _additions(forest: ForestCode, name: str, times: NDArray[np.float64]) -> dict[str, float]:
    """The expected number of executions of each kind of step per inference: calls, clearing of results, and additions
    of votes.

    name: the prefix of the forest's functions: `TABLES`, `CODE` or `PLAIN`.
    times: how often each node is expected to compare in an inference.

    The keys are the names of the kinds in cost tables. If there are few votes, they are added without a loop, and the
    first votes are stored instead of added.
    """
    trees, results, result = len(forest.trees.roots), forest.results, ctype(forest.votes)
    counts = {"call": 1.0, f"result {result}": float(results)}
    folded = 0.0
    if _merges(forest, name):
        folded = float((1 - _remaining(forest.trees, times)).sum())
    if name == PLAIN:
        added = forest.nonzero * (1 - folded / trees)
        return counts | {"tree": trees, f"{'only vote' if results == 1 else 'vote'} {result}": added}
    several = "short" if _adds_in_a_row(forest) else "row"
    form = "list" if forest.is_sparse else "only" if results == 1 else several
    narrow = ctype(_narrow(forest.votes))
    stored = {f"{form} vote of {narrow}": forest.added} if narrow != result else {}
    if name == CODE and form in ("only", "short"):
        first = {f"{form} first": 1.0, f"{form} first vote": float(results)}
        votes = folded * results
        added = {form: trees - 1.0 - folded, f"{form} vote {result}": forest.added - results - votes}
        return counts | {step: count - votes for step, count in stored.items()} | first | added
    return counts | stored | {form: float(trees), f"{form} vote {result}": forest.added}


class _PlainForest(Composed):
    @property
    def text(self) -> str:
        return f"static __attribute__((__noinline__, __unused__)) {self.signature}\n{{\n{self.portable}\n}}\n"


def forest_tables(symbol: str, forest: ForestCode) -> Kernel:
    """The kernel of a forest that is stored in tables."""
    trees, votes = forest.trees, _Votes(forest)
    child = 2 if _is_short(forest) else 4
    nodes = trees.inner * (2 * child + trees.thresholds.itemsize) + _size(trees.features)
    bytes = _TABLES + nodes + len(trees.roots) * child + votes.bytes
    return _kernel(symbol, forest, TABLES, tables_in_c(forest), _TABLE_NODE, bytes)


def forest_code(symbol: str, forest: ForestCode) -> Kernel:
    """The kernel of a forest that is compiled to conditions."""
    trees, votes = forest.trees, _Votes(forest)
    leaves, _ = trees.leaves_by_tree
    bytes = trees.inner * _NODE + len(leaves) * _LEAF + votes.bytes
    return _kernel(symbol, forest, CODE, code_in_c(forest), _CODE_NODE, bytes)


def forest_inline(symbol: str, forest: ForestCode) -> Kernel:
    """The kernel of a forest that is compiled to conditions without arrays.

    It is used for chips with a separate address space for constants.
    """
    trees = forest.trees
    leaves, _ = trees.leaves_by_tree
    size = max(trees.thresholds.itemsize, forest.votes.itemsize)
    votes = int(np.count_nonzero(forest.votes[leaves]))
    bytes = 4 * size * (trees.inner + votes) + 2 * trees.inner
    return _kernel(symbol, forest, PLAIN, _inline_code(forest), 10 * size, bytes)


FORESTS = (ForestCoder(TABLES, forest_tables), ForestCoder(CODE, forest_code))
"""The coders of forests for every chip with a single address space."""
