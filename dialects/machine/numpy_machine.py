"""The machine that computes results in numpy: every value is an array over a whole data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import FormatStep, Int, Machine
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"

_DTYPES = {8: "i1", 16: "i2", 24: "i4", 32: "i4", 64: "i8"}


class MultipliesMatrices(Protocol):
    """An `Accumulator`, which multiplies matrices whose elements have number formats."""

    def matmul(self, lhs: Array, lhs_format: Any, rhs: Array, rhs_format: Any, start: Array | None = None) -> Array: ...


class NumpyMachine(Machine["Array"]):
    """A machine whose values are numpy arrays: integers in the widths that the device uses, and floats in float32.

    24-bit integers are stored in 32 bits.
    """

    def int_constant(self, value: int, width: int) -> Array:
        return np.array(value, _DTYPES[width])

    def resize(self, value: Array, width: int) -> Array:
        return value.astype(_DTYPES[width], copy=False)

    def addi(self, a: Array, b: Array) -> Array:
        return a + b

    def add_wrapped(self, a: Int[Array], b: Int[Array], width: int) -> Int[Array]:
        # numpy wraps around by itself.
        return self.whole(self.addi(self.held(a, width), self.held(b, width)))

    def subi(self, a: Array, b: Array) -> Array:
        return a - b

    def muli(self, a: Array, b: Array) -> Array:
        return a * b

    def divsi(self, a: Array, b: Array) -> Array:
        return np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))

    def shli(self, a: Array, b: Array) -> Array:
        return a << b

    def shrsi(self, a: Array, b: Array) -> Array:
        return a >> b

    def shift_right(self, x: Int[Array], amount: int) -> Int[Array]:
        # Shifting by whole bytes first would cost another pass over the array for the same bits.
        return self._shifted(x, amount)

    def andi(self, a: Array, b: Array) -> Array:
        return a & b

    def minsi(self, a: Array, b: Array) -> Array:
        return np.minimum(a, b)

    def maxsi(self, a: Array, b: Array) -> Array:
        return np.maximum(a, b)

    def clamp(self, x: Int[Array], low: int, high: int) -> Int[Array]:
        least, most = max(low, x.low), min(high, x.high)
        if least >= most or (least, most) == (x.low, x.high):
            return super().clamp(x, low, high)
        return Int(self.clip(x.value, least, most), x.width, least, most)

    def clip(self, value: Array, low: int, high: int) -> Array:
        """Values clamped to [low, high] in one pass over the array. numpy's minimum of an array and a number would take
        ten times as long.
        """
        number = value.dtype.type
        return value.clip(number(low), number(high))

    def cmp_sge(self, a: Array, b: Array) -> Array:
        return np.asarray(a >= b)

    def cmp_sgt(self, a: Array, b: Array) -> Array:
        return np.asarray(a > b)

    def select(self, condition: Array, a: Array, b: Array) -> Array:
        return np.where(condition, a, b)

    def lookup(self, name: str, table: NDArray[np.signedinteger[Any]], index: Array) -> Array:
        return table[index]

    def float_constant(self, value: float) -> Array:
        return np.array(value, np.float32)

    def addf(self, a: Array, b: Array) -> Array:
        return a + b

    def subf(self, a: Array, b: Array) -> Array:
        return a - b

    def mulf(self, a: Array, b: Array) -> Array:
        return a * b

    def cmp_oge(self, a: Array, b: Array) -> Array:
        return np.asarray(a >= b)

    def cmp_ogt(self, a: Array, b: Array) -> Array:
        return np.asarray(a > b)

    def call(self, function: str, *arguments: Array) -> Array:
        return RUNTIME_FUNCTIONS[function].reference(*arguments)

    def call_on_table(
        self, function: str, name: str, table: NDArray[np.signedinteger[Any]], *arguments: Array
    ) -> Array:
        return RUNTIME_FUNCTIONS[function].reference(table, *arguments)

    def perform(self, step: FormatStep, *operands: Array) -> Array:
        return step.computed(*operands)

    def width_of(self, value: Array) -> int:
        return value.dtype.itemsize * 8

    def constant(self, value: Array) -> Array:
        return value

    def of_raw(self, table: Array, raws: Array) -> Array:
        """The entry of a table for each raw. The table has an entry for every bit pattern of a raw."""
        # No index is out of range: mode `clip` of numpy skips a check and a copy.
        return table.take(raws.view(f"u{raws.itemsize}"), mode="clip")

    def matmul(
        self,
        accumulator: MultipliesMatrices,
        lhs: Array,
        lhs_format: Any,
        rhs: Array,
        rhs_format: Any,
        start: Array | None,
    ) -> Array:
        """Sums of products for two stacks of matrices, computed by `Accumulator.matmul`. Devices compute the same sums
        in loops.
        """
        return accumulator.matmul(lhs, lhs_format, rhs, rhs_format, start)


def stacked_matmul(lhs: Array, rhs: Array) -> Array:
    """The products of two stacks of matrices: shape (n or 1, i, k) times (n or 1, k, j). The result has the shape (n or
    1, i, j).

    A stack of vectors times one matrix is computed as a single matrix product, which is faster for whole data sets.
    """
    if len(lhs) == 1 and rhs.shape[-1] == 1:
        return (rhs[..., 0] @ lhs[0].T)[..., None]
    if len(rhs) == 1 and lhs.shape[-2] == 1:
        return (lhs[:, 0] @ rhs[0])[:, None]
    if lhs.shape[-2] == rhs.shape[-1] == 1 and len(lhs) == len(rhs):
        return np.einsum("nk,nk->n", lhs[:, 0], rhs[..., 0])[:, None, None]
    return np.matmul(lhs, rhs)
