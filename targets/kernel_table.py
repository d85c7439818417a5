"""The entries of a chip's table of kernels (`Chip.makers`).

An entry is a list of existing kernels, an object that composes kernels for sums, or an object (coder) that generates
code for rows, forests or lane functions. The generators of tile kernels are in `tinyml.targets.tiles`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, ClassVar, Generic, TypeGuard, TypeVar, cast

from tinyml.dialects.layouts.coded_rows import CodedRows
from tinyml.dialects.layouts.contents import LANES, Content, is_declared_as
from tinyml.dialects.layouts.trees import FOREST, ForestCode
from tinyml.dialects.num import CodeKernelAttr, ComposedKernelAttr, FarKernelAttr, KernelAttr, ListedKernelAttr
from tinyml.dialects.plugins import expected
from tinyml.targets.kernel import Kernel
from tinyml.targets.nests import FarWeightsQuery, KernelQuery, Maker, Offer, SumQuery

if TYPE_CHECKING:
    from tinyml.dialects.num.kernels.lane_programs import LaneProgram

CACHED_KERNELS = 128
"""The size of the cache of a coder's kernels, at least the number of a network's layers."""


@dataclass(frozen=True, eq=False)
class ListedKernels(Maker):
    """An entry that lists existing kernels of the runtime or of chip headers, best first. Programs call them by the
    names of their C functions.

    needs, large: as in `Maker`.
    """

    kernels: Sequence[Kernel]
    needs: str = ""
    large: bool = False

    @cached_property
    def _by_sum(self) -> Mapping[Hashable, Sequence[Kernel]]:
        """The kernels, grouped by the sum that they compute (`Kernel.computed`) and by whether they add in chunks."""
        by_sum: dict[Hashable, list[Kernel]] = {}
        for kernel in self.kernels:
            # Chunks of any length compute the same sum.
            by_sum.setdefault((replace(kernel, chunk=0).computed, kernel.chunk > 0), []).append(kernel)
        return by_sum

    def offers(self, nest: KernelQuery) -> Iterator[Offer]:
        if isinstance(nest, SumQuery):
            for wanted, decoded in nest.wanted:
                kernels = self._by_sum.get((wanted.computed, nest.chunked), ())
                yield from (Offer(kernel, decoded) for kernel in kernels if kernel.flash in (None, wanted.flash))

    def kernel_of(self, attribute: KernelAttr, content: Content | None) -> Kernel | None:
        if not isinstance(attribute, ListedKernelAttr):
            return None
        return next((kernel for kernel in self.kernels if kernel.attribute == attribute), None)


@dataclass(frozen=True, eq=False)
class SumComposer(Maker):
    """A generator (composer) of kernels for sums.

    composed: a function that returns the kernel for a description (a `Kernel` without a symbol); None if there is no
        such kernel.
    needs, large: as in `Maker`.
    """

    composed: Callable[[Kernel], Kernel | None]
    needs: str = ""
    large: bool = False

    def offers(self, nest: KernelQuery) -> Iterator[Offer]:
        if isinstance(nest, SumQuery) and not nest.chunked:
            for wanted, decoded in nest.wanted:
                if (kernel := self._kernel(wanted)) is not None:
                    yield Offer(kernel, decoded)

    def kernel_of(self, attribute: KernelAttr, content: Content | None) -> Kernel | None:
        if not isinstance(attribute, ComposedKernelAttr):
            return None
        widths = attribute.weights.data, attribute.vector.data, attribute.sum.data
        codings = attribute.weights_coding.data, attribute.vector_coding.data
        rows, near = attribute.rows.data, attribute.ram.data == 0
        kernel = self._kernel(Kernel("", *widths, attribute.op.data, flash=near, rows=rows, codings=codings))
        return kernel if kernel is not None and kernel.attribute == attribute else None

    def _kernel(self, wanted: Kernel) -> Kernel | None:
        if (kernel := self.composed(wanted)) is None:
            return None
        kernel = expected(kernel, Kernel, self.composed)
        widths, ram = (kernel.weights, kernel.vector), kernel.flash is False
        identity = ComposedKernelAttr.of(
            kernel.op, kernel.codings, widths, kernel.sum, kernel.gaps, ram=ram, rows=kernel.rows
        )
        return replace(kernel, identity=identity)


def is_code_of(kernel: KernelAttr, coder: str) -> TypeGuard[CodeKernelAttr]:
    return isinstance(kernel, CodeKernelAttr) and kernel.coder.data == coder


@dataclass(frozen=True)
class RowCoder(Maker):
    """A kernel generator (coder) whose kernels contain the weights that they multiply.

    * name: the prefix of C functions, which is followed by a digest. The rows themselves are in the program.
    * composed: a function that returns the kernel for a function name and rows; None for unsupported rows.
    * needs, large: as in `Maker`.
    """

    name: str
    composed: Callable[[str, CodedRows], Kernel | None]
    needs: str = ""
    large: bool = True

    def offers(self, nest: KernelQuery) -> Iterator[Offer]:
        if isinstance(nest, CodedRows) and (kernel := self.kernel(nest.digest, nest)) is not None:
            yield Offer(kernel)

    def kernel_of(self, attribute: KernelAttr, content: Content | None) -> Kernel | None:
        if isinstance(content, CodedRows) and is_code_of(attribute, self.name):
            return self.kernel(attribute.key.data, content)
        return None

    @lru_cache(CACHED_KERNELS)  # noqa: B019 (coders live as long as the program)
    def kernel(self, key: str, rows: CodedRows) -> Kernel | None:
        """The kernel that contains these rows and multiplies by them; None if the rows are not supported.

        key: a part of the kernel's name, which is unique within a program.
        """
        identity = CodeKernelAttr.of(self.name, key)
        kernel = self.composed(identity.function, rows)
        return None if kernel is None else replace(kernel, identity=identity)


C = TypeVar("C", bound="ForestCode | LaneProgram")


@dataclass(frozen=True)
class _ContentCoder(Maker, Generic[C]):
    """A kernel generator (coder) whose kernels contain the data that they process.

    * name: the prefix of C functions, which is followed by a digest of the content.
    * composed: a function that returns the kernel for a function name and a content; None if the content is
      unsupported.
    * needs, large: as in `Maker`.
    """

    name: str
    composed: Callable[[str, C], Kernel | None]
    needs: str = ""
    large: bool = False

    CONTENT: ClassVar[str]
    """The attribute of a declaration that holds what kernels compute."""

    def offers(self, nest: KernelQuery) -> Iterator[Offer]:
        if is_declared_as(nest, self.CONTENT) and (kernel := self.kernel(cast(C, nest))) is not None:
            yield Offer(kernel)

    def kernel_of(self, attribute: KernelAttr, content: Content | None) -> Kernel | None:
        if is_declared_as(content, self.CONTENT) and is_code_of(attribute, self.name):
            return self.kernel(cast(C, content), attribute.key.data)
        return None

    def kernel(self, content: C, key: str | None = None) -> Kernel | None:
        """The kernel that contains this content; None if the content is not supported.

        key: a part of the kernel's name, which is unique within a program; by default a digest of the content.
        """
        identity = CodeKernelAttr.of(self.name, content.digest if key is None else key)
        kernel = self.composed(identity.function, content)
        return None if kernel is None else replace(kernel, identity=identity)


class ForestCoder(_ContentCoder[ForestCode]):
    """A kernel generator (coder) whose kernels evaluate a given decision forest, stored as tables or as code."""

    CONTENT: ClassVar[str] = FOREST

    def kernel(self, content: ForestCode, key: str | None = None) -> Kernel | None:
        return _forest_kernel(self, content, key)


@lru_cache(maxsize=64)
def _forest_kernel(coder: ForestCoder, forest: ForestCode, key: str | None) -> Kernel | None:
    """A kernel of a forest is composed once: a search offers and prices it, and the chosen program prints it."""
    return _ContentCoder[ForestCode].kernel(coder, forest, key)


class LoopCoder(_ContentCoder["LaneProgram"]):
    """A kernel generator (coder) whose kernels compute a given lane function (`num.lane_function`)."""

    CONTENT: ClassVar[str] = LANES


@dataclass(frozen=True)
class FarConstants(Maker):
    """An entry for weights in far flash: their kernels, and the cost of reading single elements.

    * needs, large: as in `Maker`.
    * kernel: a function that returns the kernel of the same sum for far weights; None if there is no such kernel.
    * load: the additional time of reading an element, compared with a near element, in the unit of the board.
    * section: the linker section of far constants, in which a blob of weights may be; without it, blobs are near.
    """

    needs: str
    kernel: Callable[[Kernel], Kernel | None]
    load: float
    large: bool = False
    section: str | None = None

    def offers(self, nest: KernelQuery) -> Iterator[Offer]:
        if isinstance(nest, FarWeightsQuery) and (kernel := self.kernel(nest.near)) is not None:
            yield Offer(replace(kernel, identity=FarKernelAttr.of(nest.near.attribute)))
