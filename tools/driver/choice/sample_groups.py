"""The groups of samples of a validation set that depend on each other, which the bound of a loss takes together.

An array `groups` in the data file holds the group of each sample, such as the person who made it. With an array `time`
samples that follow each other are a group, as many as the square root of the number of samples. Otherwise each sample
stands for itself.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.readers.arrays import ArrayHeader, read_npz

if TYPE_CHECKING:
    from numpy.typing import NDArray

GROUPS, TIME = "groups", "time"


def sample_groups(file: str, samples: int) -> tuple[NDArray[np.int64], str]:
    """The group of each of the samples of a data file, numbered from 0, and how the set was divided.

    Raises `InputError` for arrays `groups` and `time` that do not have a number for each sample, and for a single
    group.
    """
    groups, time = (_numbers(file, name, samples) for name in (GROUPS, TIME))
    if time is not None:
        order = np.empty(samples, np.int64)
        order[np.argsort(time, kind="stable")] = np.arange(samples)
        return order // math.isqrt(samples), "by time"
    if groups is not None:
        names, members = np.unique(groups, return_inverse=True)
        if len(names) < 2:
            raise InputError("`groups` holds a single group, which says nothing of others", file=file)
        return members.astype(np.int64), "by groups"
    return np.arange(samples), "by sample"


def _numbers(file: str, name: str, samples: int) -> NDArray[Any] | None:
    def accept(header: ArrayHeader) -> None:
        if header.shape != (samples,) or header.dtype.kind not in "fiu":
            found = f"shape {header.shape} of {header.dtype}"
            raise InputError(f"expected `{name}` to hold {samples} numbers, got {found}", file=file)

    return read_npz(file, "data", name, accept)
