"""Composed kernels for Cortex-M: the order of their weights, and their use of the stack."""

import numpy as np
from programs.kernel_tables import tile_families

from tinyml.dialects.num import ListedKernelAttr
from tinyml.targets.composer.instructions import stack_of
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.registry import kernel_of
from tinyml.targets.tiles import Sums, Tile


def test_the_weights_of_a_pair_of_rows_stand_together():
    sums = Sums(np.arange(8).reshape(2, 4), np.array([1, 2]), np.array([1 << 30] * 2), np.array([-1, -9]))
    dots, *_ = tile_families("cortex-m4")
    words = dots.stream(Tile(2, 1, 4, 0, 4, 2, 0), sums)
    assert words[8:16].tolist() == list(range(8))
    assert words[-4:].tolist() == [0, 8, 0, -128]


def test_the_stack_of_a_kernel_is_what_it_allocates():
    assert stack_of((t.push(("r4", "r5", "lr")), t.label(1), t.sub("sp", 4), t.pop(("r4",)))) == 16
    four = kernel_of(ListedKernelAttr.of("tm_cm_dot4_s8_s8_s32"), "cortex-m4").composed
    assert four is not None
    assert four.stack == 4 * 9
