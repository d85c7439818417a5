"""The kernels for Cortex-M that are listed by the names of their C functions."""

from __future__ import annotations

from tinyml.targets.cortex_m.composer.dot import channel_rows, dot, dot_rows, sparse_dot
from tinyml.targets.cortex_m.composer.packed_dot import packed_rows
from tinyml.targets.cortex_m.composer.segment_dot import segment_dot
from tinyml.targets.kernel import Kernel

KERNELS = (
    segment_dot(),
    dot(8, 8, 32, step=2.9),
    dot(8, 16, 32, step=3.1),
    dot(16, 8, 32, step=3.1),
    dot(16, 16, 32, step=2.2),
    dot(16, 16, 64, step=2.2),
    channel_rows(8, 8, step=3.8),
    channel_rows(8, 16, step=3.8),
    channel_rows(16, 16, step=3.8),
    dot_rows(8, 8, step=1.8),
    dot_rows(8, 16, step=1.8),
    dot_rows(16, 16, step=1.2),
    packed_rows(5, step=3.4, code=658),
    packed_rows(6, step=3.0, code=1096),
    packed_rows(7, step=3.0, code=1846),
    Kernel("tm_cm_distance_s16_s16_s32", 16, 16, 32, op="num.distance", flash=None, step=3.2),
    Kernel("tm_cm_distance_s8_s8_s32", 8, 8, 32, op="num.distance", flash=None, step=3.2),
    sparse_dot(8, 8, step=7.4),
    sparse_dot(8, 16, step=7.4),
    sparse_dot(16, 16, step=7.4),
)
