"""The order of loads and products in Helium code. They alternate, because different execution units execute them at the
same time.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from tinyml.targets.composer.instructions import Code, joined


class Alternation:
    """A sequence of vector loads and products, ordered so that loads and products alternate as far as the registers
    permit.
    """

    def __init__(self) -> None:
        self._loads, self._products = list[Code](), list[Code]()
        # For each load, the last product that reads its register before; for each product, the number of loads that it
        # needs.
        self._free, self._needed = list[int](), list[int]()
        self._loaded, self._read = dict[str, int](), dict[str, int]()

    def load(self, vector: str, code: Code) -> None:
        self._loaded[vector] = len(self._loads)
        self._loads.append(code)
        self._free.append(self._read.get(vector, -1))

    def multiply(self, product: Code, vectors: Sequence[str]) -> None:
        self._read |= dict.fromkeys(vectors, len(self._products))
        self._products.append(product)
        self._needed.append(1 + max(self._loaded[vector] for vector in vectors))

    @property
    def code(self) -> Code:
        lines, loaded = list[Code](), 0
        for number, (product, needed) in enumerate(zip(self._products, self._needed, strict=True)):
            lines += [*self._loads[loaded:needed], product]
            loaded = max(loaded, needed)
            if loaded < len(self._loads) and self._free[loaded] <= number:
                lines.append(self._loads[loaded])
                loaded += 1
        return joined(*lines)


def alternating(*parts: Code) -> Code:
    """The instructions of independent parts in turn: the first instruction of each part, then the second of each part,
    and so on.
    """
    return joined(*(line for lines in zip_longest(*parts) for line in lines if line is not None))
