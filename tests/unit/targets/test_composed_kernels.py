"""Composed kernels cost no more than recorded, and are C for any machine."""

from __future__ import annotations

import numpy as np
import pytest
from programs.all_kernels import kernels, tiles_of
from programs.devices import DEVICES

from tinyml.targets.costs import kernel_cost
from tinyml.targets.registry import known_kernel, tile_families

RECORDED = """
tm_dot_s16_s16_s32 15 32 178 4
tm_dot_s16_s16_s32_ram 15 30 178 4
tm_dot_s8_s16_s32 30 19.79296875 132 5
tm_dot_s16_s8_s32 30 20.79296875 132 5
tm_dot_s8_s8_s16 14 9.375 88 2
tm_dot_s8_s8_s16_ram 14 8.375 88 2
tm_dot_s8_s8_s24 15 11.375 120 2
tm_dot_s8_s8_s24_ram 15 10.375 120 2
tm_dot_s8_s8_s32 26 11.40625 136 4
tm_dot_s8_s8_s32_ram 26 10.40625 136 4
tm_dot_s8_s8_s24_by4 15 10.375 104 2
tm_dot_s8_s8_s24_by3 15 10.833333333333334 84 2
tm_dot_s8_s8_s32_by4 15 10.625 108 2
tm_dot_s8_s8_s32_by3 15 11.166666666666666 88 2
tm_dot_row_s16_s16_s32 37 37.01171875 228 5
tm_dot_row_s8_s16_s32 47 25.04296875 180 5
tm_dot_row_s8_s8_s16 37 14.76171875 96 2
tm_dot_row_s8_s8_s24 37 16.76171875 112 2
tm_dot_row_s8_s8_s32 43 16.78125 122 4
tm_dot_strided_s16_s16_s32 22 34.01171875 200 7
tm_dot_strided_s8_s16_s32 32 21.79296875 150 7
tm_dot_strided_s8_s8_s32 28 13.78125 94 6
tm_distance_s16_s16_s32 20 28.01171875 160 5
tm_distance_s8_s8_s24 20 13.76171875 84 4
tm_distance_s8_s8_s32 20 14.76171875 92 4
tm_axpy_s16_s16_s32 52 45 158 9
tm_axpy_s8_s16_s32 40 35 122 6
tm_axpy_s8_s8_s32 40 29 102 6
tm_dot_r16_s16_s64 0 153.6 258 0
tm_dot_strip_s8_16_3_24_80_8_4_128_9 43602 0 322 23
tm_channel_strip_s8_8_3_24_112_8_12_128_9 10179 0 428 21
tm_dot_requantised_s8_16_3_48_160_16_8_0 184774 0 318 23
tm_channel_requantised_s8_8_3_24_112_8_12_0 24691 0 428 28
tm_channel_requantised_s8_4_5_20_60_4_6_133 9075 0 346 25
tm_avr_rows 2168 0 3552 20
tm_cm_dot_r16_s16_s64 0 9 200 0
tm_cm_dot_s8_s8_s32 0 2.9 0 20
tm_cm_dot_s8_s16_s32 0 3.1 0 20
tm_cm_dot_s16_s8_s32 0 3.1 0 20
tm_cm_dot_s16_s16_s32 0 2.2 0 20
tm_cm_dot_s16_s16_s64 0 2.2 0 20
tm_cm_channels4_s8_s8_s32 0 3.8 0 0
tm_cm_channels4_s8_s16_s32 0 3.8 0 0
tm_cm_channels4_s16_s16_s32 0 3.8 0 0
tm_cm_dot4_s8_s8_s32 0 1.8 0 36
tm_cm_dot4_s8_s16_s32 0 1.8 0 36
tm_cm_dot4_s16_s16_s32 0 1.2 0 36
tm_cm_dot_sparse_s8_s8_s32 0 7.4 0 20
tm_cm_dot_sparse_s8_s16_s32 0 7.4 0 20
tm_cm_dot_sparse_s16_s16_s32 0 7.4 0 20
tm_cm_small_dot_strip_s8_16_3_48_160_16_8_0 70577 0 590 64
tm_cm_small_dot_strip_s8_7_1_45_0_45_3_128 4138.5 0 1190 64
tm_cm_small_dot_strip_s8_23_1_72_0_72_1_119 6685.5 0 946 64
tm_cm_small_channel_strip_s8_8_3_24_112_8_12_0 6594 0 894 64
tm_cm_small_channel_strip_s8_4_5_20_60_4_6_133 3342 0 720 64
tm_cm_small_channels 1139 0 786 64
tm_cm_small_rows 6564 0 1538 152
tm_cm_dot_strip_s8_16_3_48_160_16_8_0 19969 0 832 632
tm_cm_dot_strip_s8_7_1_45_0_45_3_128 1597 0 2756 248
tm_cm_dot_strip_s8_23_1_72_0_72_1_119 2702 0 1360 56
tm_cm_channel_strip_s8_8_3_24_112_8_12_0 2048 0 392 64
tm_cm_channel_strip_s8_4_5_20_60_4_6_133 1244 0 1268 104
tm_cm_wide_strip_s8_16_3_48_160_16_8_0 15181 0 1580 640
tm_cm_wide_strip_s8_7_1_45_0_45_3_128 1323 0 5292 256
tm_cm_wide_strip_s8_23_1_72_0_72_1_119 1785 0 2956 208
tm_cm_winograd_strip_s8_16_3_48_160_16_8_0 11344 0 3204 872
tm_cm_winograd_squares_s8_8_3_48_160_16_8_255_0_2 10746 0 3924 1608
tm_cm_channels 369 0 984 36
tm_cm_rows 594 0 2364 36
tm_rv_dot_s8_s8_s32 14 4.75 116 0
tm_rv_dot_s8_s16_s32 14 4.75 116 0
tm_rv_dot_s16_s8_s32 16 4.75 124 0
tm_rv_dot_s16_s16_s32 16 4.75 124 0
tm_rv_dot_s16_s16_s64 17 8.75 186 0
tm_rv_dot4_s8_s8_s32 28 3.625 334 0
tm_rv_dot4_s8_s16_s32 28 3.625 334 0
tm_rv_dot4_s16_s16_s32 30 3.625 344 0
tm_rv_channels4_s8_s8_s32 29 4.5625 396 0
tm_rv_channels4_s8_s16_s32 30 4.5625 400 0
tm_rv_channels4_s16_s16_s32 32 4.5625 410 0
tm_rv_dot_sparse_s8_s8_s32 16 6.75 146 0
tm_rv_dot_sparse_s8_s16_s32 16 7.75 166 0
tm_rv_dot_sparse_s16_s16_s32 18 7.75 174 0
tm_rv_dot_strip_s8_16_3_48_160_16_8_0 49126 0 1698 80
tm_rv_dot_strip_s8_7_1_45_0_45_3_128 2917 0 2386 80
tm_rv_dot_strip_s8_23_1_72_0_72_1_119 5790 0 1856 80
tm_rv_channel_strip_s8_8_3_24_112_8_12_0 3702 0 984 64
tm_rv_channel_strip_s8_4_5_20_60_4_6_133 2006 0 778 64
"""
"""A kernel, the time of a call and of each element, and bytes of flash and of stack."""


def test_no_kernel_costs_more_than_recorded():
    found = {name: kernel for target in DEVICES for name, kernel in kernels(target)}
    for name, *numbers in map(str.split, RECORDED.strip().splitlines()):
        kernel = found[name]
        assert kernel.composed is not None
        times = [kernel.composed.costs.get("", 0), kernel.composed.costs.get("element", kernel.step)]
        most = [float(number) for number in numbers]
        assert np.all(np.array([*times, kernel.code, kernel.stack]) <= most), (name, times, kernel.code, kernel.stack)


def test_assembly_has_plain_c_beside_it():
    for target in DEVICES:
        for name, kernel in kernels(target):
            if kernel.composed is not None:
                assert kernel.composed.portable in kernel.composed.text, name


@pytest.mark.parametrize("target", ["uno", "cortex-m0", "cortex-m4", "riscv"])
def test_the_cost_model_knows_a_kernel_for_tiles_by_its_attribute(target: str):
    for family in tile_families(target):
        kernel = family.kernel(tiles_of(family)[0])
        assert kernel is not None
        assert kernel.composed is not None
        assert known_kernel(kernel.attribute, target) is kernel
        call, element = kernel_cost(kernel).cost, kernel_cost(kernel, "element").cost
        assert call is not None
        assert call.time == kernel.composed.costs[""]
        assert element is not None
        assert element.time == 0
