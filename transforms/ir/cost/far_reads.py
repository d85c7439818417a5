"""Extra time of reading a far constant instead of a near one."""

from __future__ import annotations

from tinyml.dialects.num import FarKernelAttr, KernelAttr
from tinyml.targets.costs import kernel_cost
from tinyml.targets.registry import far_constants, kernel_of, known_kernel


def far_load(target: str) -> float:
    """The additional time of a single element; 0 on a board without far constants."""
    far = far_constants(target)
    return 0.0 if far is None else far.load


def far_call(near: KernelAttr, target: str) -> float | None:
    """The additional time of a call of a kernel whose weights become far; None if there is no kernel for them."""
    far = known_kernel(FarKernelAttr.of(near), target)
    if far is None:
        return None
    costs = kernel_cost(far).cost, kernel_cost(kernel_of(near, target)).cost
    return costs[0].time - costs[1].time if costs[0] is not None and costs[1] is not None else far_load(target)
