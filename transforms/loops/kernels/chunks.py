"""Kernels for dot products in chunks: the sum of a few consecutive products is proven to fit 16 bits (L3)."""

from __future__ import annotations

from collections import defaultdict

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import num, scratch
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import limits
from tinyml.targets.kernel import LONGEST_IN_CHUNKS, Kernel
from tinyml.targets.nests import SumNest
from tinyml.targets.registry import kernel_of, offers
from tinyml.transforms.ir.indices import is_multiple

REST_BYTES = 2
"""Additional bytes of flash of a call whose length is not a multiple of the chunk."""


def select_chunks(module: ModuleOp, target: str) -> None:
    """Replace kernels of dot products by chunked ones where the weights of all their calls allow it.

    All calls of a kernel change together, so that a program contains only one of the two kernels, and only if the
    chunked one takes no more flash.
    """
    calls: defaultdict[num.ListedKernelAttr, list[num.CallOp]] = defaultdict(list)
    for op in module.walk():
        if num.calls_dot(op) and isinstance(op.kernel, num.ListedKernelAttr):
            calls[op.kernel].append(op)
    for called, ops in calls.items():
        plain = kernel_of(called, target)
        # The calls of a module whose kernels have been chosen before may be chunked already.
        for kernel in _in_chunks(plain, target) if not plain.chunk else ():
            rests = sum(op.length % kernel.chunk > 0 for op in ops)
            larger = kernel.code + rests * REST_BYTES > plain.code
            if not larger and all(_fits(op, kernel) for op in ops):
                for op in ops:
                    op.kernel = kernel.attribute
                break


def _in_chunks(plain: Kernel, target: str) -> list[Kernel]:
    """The kernels that compute the same sum in chunks."""
    widths, sums = (plain.weights, plain.vector), (plain.sum,)
    nest = SumNest(plain.op, *widths, sums, plain.codings, plain.flash, chunked=True)
    return [offer.kernel for offer in offers(target, nest)]


def _fits(op: num.CallOp, kernel: Kernel) -> bool:
    """True if the sum of products of every chunk of a row with any vector, plus another byte, fits 16 bits."""
    view, length = op.factors[0], op.length
    whole = length <= LONGEST_IN_CHUNKS
    while isinstance(slice := view.owner, scratch.SliceOp):
        whole = whole and is_multiple(slice.offset, length)
        view = slice.source
    if not whole or not isinstance(view.owner, scratch.ConstantOp) or view.owner.raws.size % length:
        return False
    weights = np.abs(view.owner.raws.astype(np.int64).reshape(-1, length))
    missing = -length % kernel.chunk
    chunks = np.pad(weights, ((0, 0), (missing, 0))).reshape(-1, kernel.chunk).sum(1)
    return int(chunks.max()) * -limits(kernel.vector)[0] + limits(9)[1] <= limits(16)[1]
