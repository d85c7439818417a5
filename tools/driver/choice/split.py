"""The division of a validation set in two halves: one chooses a program, the other accepts it.

The division is seeded and stratified by class. An array `groups` in the data file holds the group of each sample, such
as the person who made it; no group stands in both halves. With an array `time`, the earlier half chooses and the later
one accepts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.readers.arrays import ArrayHeader, read_npz

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 0

GROUPS, TIME = "groups", "time"


def choosing_half(file: str, classes: NDArray[Any]) -> tuple[NDArray[np.bool_], str]:
    """The samples of a data file that choose, as a mask (samples,), and how the set was divided.

    classes: the label, or else the predicted class, of each sample. Raises `InputError` for arrays `groups` and `time`
    that do not have a number for each sample, and for a single group.
    """
    groups, time = (_numbers(file, name, len(classes)) for name in (GROUPS, TIME))
    if time is not None:
        earlier = np.argsort(time, kind="stable")[: -(-len(classes) // 2)]
        return _mask(earlier, len(classes)), "by time"
    if groups is not None:
        if len(np.unique(groups)) < 2:
            raise InputError("`groups` holds a single group, which cannot be divided", file=file)
        return halves_of_groups(groups, classes), "by groups"
    return stratified_half(classes), "stratified"


def stratified_half(classes: NDArray[Any]) -> NDArray[np.bool_]:
    """A mask of half of the samples (samples,), seeded: of each class half, rounded up and down in turns."""
    random = np.random.default_rng(SEED)
    shuffled = random.permutation(len(classes))
    by_class = shuffled[np.argsort(classes[shuffled], kind="stable")]
    return _mask(by_class[::2], len(classes))


def halves_of_groups(groups: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.bool_]:
    """A mask of the samples of some groups (samples,), which have about half of the samples of each class.

    Groups are dealt out from the largest down, each to the half that makes both more alike, in total and class by
    class.
    """
    random = np.random.default_rng(SEED)
    kinds, of = np.unique(classes, return_inverse=True)
    names, members = np.unique(groups, return_inverse=True)
    counts = np.zeros((len(names), len(kinds) + 1), np.int64)
    np.add.at(counts, (members, of), 1)
    counts[:, -1] = counts.sum(1)
    shuffled = random.permutation(len(names))
    order = shuffled[np.argsort(-counts[shuffled, -1], kind="stable")]
    balance, chosen = np.zeros(len(kinds) + 1, np.int64), np.zeros(len(names), bool)
    for group in order:
        chosen[group] = np.abs(balance + counts[group]).sum() <= np.abs(balance - counts[group]).sum()
        balance += counts[group] if chosen[group] else -counts[group]
    return chosen[members]


def _mask(samples: NDArray[Any], count: int) -> NDArray[np.bool_]:
    mask = np.zeros(count, bool)
    mask[samples] = True
    return mask


def _numbers(file: str, name: str, samples: int) -> NDArray[Any] | None:
    def accept(header: ArrayHeader) -> None:
        if header.shape != (samples,) or header.dtype.kind not in "fiu":
            found = f"shape {header.shape} of {header.dtype}"
            raise InputError(f"expected `{name}` to hold {samples} numbers, got {found}", file=file)

    return read_npz(file, "data", name, accept)
