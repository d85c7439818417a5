"""Each op that docs/mlir.md lists, on tensors that depend on the input, compared with numpy."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from programs.mlir_ops import (
    LIKE,
    ONE,
    ROW,
    Case,
    Dims,
    X,
    average,
    beside,
    biased,
    check,
    chosen,
    convolution,
    either,
    function,
    greatest,
    inside,
    joined,
    listed,
    named,
    overwritten,
    padded,
    pool,
    product,
    strided,
)

from tinyml.dialects.errors import InputError

POSITIVE = X((1, 4), positive=True)
MASK = """%t = "stablehlo.constant"() <{value = dense<2.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %f = "stablehlo.constant"() <{value = dense<-3.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %s = "stablehlo.select"(%r, %t, %f) : (tensor<1x1xi1>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>"""
LIMIT = np.array([[0.5]])
ABOVE = (
    '%m = "stablehlo.compare"(%a0, %a1) <{comparison_direction = #stablehlo<comparison_direction GT>}> '
    ": (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>\n    "
)


LOOP = """%i = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %l:2 = "stablehlo.while"(%i, %a0) ({
    ^bb0(%n: tensor<i32>, %h: tensor<1x4xf32>):
      %m = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
      %c = "stablehlo.compare"(%n, %m) <{comparison_direction = #stablehlo<comparison_direction LT>}>
        : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%c) : (tensor<i1>) -> ()
    }, {
    ^bb0(%n: tensor<i32>, %h: tensor<1x4xf32>):
      %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %j = "stablehlo.add"(%n, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %t = "stablehlo.tanh"(%h) : (tensor<1x4xf32>) -> tensor<1x4xf32>
      "stablehlo.return"(%j, %t) : (tensor<i32>, tensor<1x4xf32>) -> ()
    }) : (tensor<i32>, tensor<1x4xf32>) -> (tensor<i32>, tensor<1x4xf32>)
    %r = "stablehlo.reshape"(%l#1) : (tensor<1x4xf32>) -> tensor<1x4xf32>"""
FOR = """%b = "arith.constant"() <{value = 0 : index}> : () -> index
    %e = "arith.constant"() <{value = 3 : index}> : () -> index
    %c = "arith.constant"() <{value = 1 : index}> : () -> index
    %r = "scf.for"(%b, %e, %c, %a0) ({
    ^bb0(%i: index, %h: tensor<1x4xf32>):
      %t = "stablehlo.tanh"(%h) : (tensor<1x4xf32>) -> tensor<1x4xf32>
      "scf.yield"(%t) : (tensor<1x4xf32>) -> ()
    }) : (index, index, index, tensor<1x4xf32>) -> tensor<1x4xf32>"""
PADDING = """
    ^bb0(%i: index, %j: index):
      %n = "arith.constant"() <{value = 1.5 : f32}> : () -> f32
      "tensor.yield"(%n) : (f32) -> ()
    """
POSITIONS = [np.array(1, np.int32), np.array(2, np.int32)]
ZEROS = [np.zeros(1), np.zeros(1)]


def thrice(x: np.ndarray) -> np.ndarray:
    return np.tanh(np.tanh(np.tanh(x)))


STEPPED = "pad = array<i64: 0, 0, 1, 0>, stride = array<i64: 2, 1>, dilation = array<i64: 1, 1>, acc_type = f32"
POOLED = "kernel = array<i64: 2, 2>, pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 2, 1>"
FILTER = np.random.default_rng(2).normal(size=(2, 2, 2, 3)).round(3)

MAPPED = """
    ^bb0(%p: f32):
      %e = "math.tanh"(%p) : (f32) -> f32
      "linalg.yield"(%e) : (f32) -> ()
    """
SUM = """
    ^bb0(%p: f32, %q: f32):
      %e = "arith.addf"(%p, %q) : (f32, f32) -> f32
      "linalg.yield"(%e) : (f32) -> ()
    """
CHOSEN = """%m = "arith.cmpf"(%e0, %e1) <{predicate = 2 : i64}> : (f32, f32) -> i1
      %q = "arith.select"(%m, %e0, %e1) : (i1, f32, f32) -> f32"""
COMPARED = """%m = "arith.cmpf"(%e0, %e1) <{predicate = 2 : i64}> : (f32, f32) -> i1
      %t = "arith.constant"() <{value = 2.0 : f32}> : () -> f32
      %f = "arith.constant"() <{value = -3.0 : f32}> : () -> f32
      %q = "arith.select"(%m, %t, %f) : (i1, f32, f32) -> f32"""
ADDED = """%k = "arith.constant"() <{value = 1.5 : f32}> : () -> f32
      %q = "arith.addf"(%e0, %k) : (f32, f32) -> f32"""
INDEXED = """%i = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %j = "arith.index_cast"(%i) : (index) -> i64
      %k = "arith.sitofp"(%j) : (i64) -> f32
      %q = "arith.addf"(%e0, %k) : (f32, f32) -> f32"""
POWER = """%k = "arith.constant"() <{value = 2 : i32}> : () -> i32
      %q = "math.fpowi"(%e0, %k) : (f32, i32) -> f32"""
WIDENED = """%i = "tosa.argmax"(%a0) <{axis = 1 : i32}> : (tensor<1x4xf32>) -> tensor<1xi32>
    %r = "OP"(%i) : (tensor<1xi32>) -> tensor<1xi64>"""
FLAGGED = """%m = "arith.cmpf"(%e0, %e1) <{predicate = 2 : i64}> : (f32, f32) -> i1
      %q = "OP"(%m) : (i1) -> f32"""


TRUTH, SINGLE = "tensor<1x1xi1>", "tensor<1x1xf32>"
ZERO = np.array(0.0)
ADD = """
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    """
DOT = """dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2],
      rhs_contracting_dimensions = [0]>"""
CONVOLVED = """batch_group_count = 1 : i64, feature_group_count = 1 : i64, window_strides = array<i64: 2, 1>,
      dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>"""
LOW = "array<i64: 1, 2>"
PART = "operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 1, 2>"
MAP_ON_EMPTY = f"""%o = "tensor.empty"() : () -> tensor<1x4xf32>
    %r = "linalg.map"(%a0, %o) ({{{MAPPED}}}) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>"""
EXTRACT = """%i = "arith.constant"() <{value = 1 : index}> : () -> index
    %j = "arith.constant"() <{value = 2 : index}> : () -> index
    %n = "tensor.extract"(%a0, %i, %j) : (tensor<3x5xf32>, index, index) -> f32
    %o = "tensor.empty"() : () -> tensor<3xf32>
    %r = "linalg.fill"(%n, %o) : (f32, tensor<3xf32>) -> tensor<3xf32>"""
BIAS = np.arange(1.0, 7.0)
LAYER = np.random.default_rng(3).normal(size=(2, 3)).round(3)


CASES: dict[str, Case] = {
    **named("arith", "addf subf mulf maximumf maxnumf minimumf minnumf", [ROW, ROW]),
    **named("arith", "extf truncf negf", [ROW]),
    "arith.cmpf": inside("", Case([ONE, LIMIT], lambda a, b: chosen(a > b), code=COMPARED)),
    "arith.constant": inside("", Case([ROW], lambda a: a + 1.5, code=ADDED)),
    "arith.divf": inside("arith.divf", Case([ROW, LIKE], np.divide)),
    "arith.select": inside("", Case([ONE, LIMIT], np.maximum, code=CHOSEN)),
    "arith.sitofp": inside(
        "", Case([ONE, LIMIT], lambda a, b: -1.0 * (a > b), code=FLAGGED.replace("OP", "arith.sitofp"))
    ),
    "arith.uitofp": inside(
        "", Case([ONE, LIMIT], lambda a, b: 1.0 * (a > b), code=FLAGGED.replace("OP", "arith.uitofp"))
    ),
    "arith.extsi": Case([ROW], lambda a: a.argmax(1), code=WIDENED.replace("OP", "arith.extsi")),
    "arith.extui": Case([ROW], lambda a: a.argmax(1), code=WIDENED.replace("OP", "arith.extui")),
    "cf.assert": Case(
        [ROW],
        np.negative,
        code="""%m = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    "cf.assert"(%m) <{msg = "no"}> : (tensor<i1>) -> ()
    %r = "stablehlo.negate"(%a0) : (tensor<1x4xf32>) -> tensor<1x4xf32>""",
    ),
    **named("chlo", "erf erfc square", [ROW]),
    "func.call": Case([ROW], np.tanh, "callee = @f", functions=function("func")),
    "util.call": Case([ROW], np.tanh, "callee = @f", functions=function("util")),
    "linalg.batch_matmul": product("bmk,bkn->bmn", (1, 3, 4), (1, 4, 2)),
    "linalg.batch_matvec": product("bmk,bk->bm", (1, 3, 4), (1, 4)),
    "linalg.batch_vecmat": product("bk,bkn->bn", (1, 4), (1, 4, 3)),
    "linalg.dot": product("k,k->", (4,), (4,)),
    "linalg.matmul": product("mk,kn->mn", (2, 3), (3, 4)),
    "linalg.matmul_transpose_a": product("km,kn->mn", (3, 2), (3, 4)),
    "linalg.matmul_transpose_b": product("mk,nk->mn", (2, 3), (4, 3)),
    "linalg.matvec": product("mk,k->m", (2, 3), (3,)),
    "linalg.vecmat": product("k,kn->n", (3,), (3, 2)),
    "linalg.conv_1d_ncw_fcw": convolution((1, 2, 6), (2,), (3, 2, 2), 2, "ncxl,fcl->nfx"),
    "linalg.conv_1d_nwc_wcf": convolution((1, 6, 2), (1,), (2, 2, 3), 2, "nxcl,lcf->nxf"),
    "linalg.conv_2d_nchw_fchw": convolution((1, 2, 5, 4), (2, 3), (3, 2, 2, 2), 2, "ncyxkl,fckl->nfyx"),
    "linalg.conv_2d_nhwc_fhwc": convolution((1, 5, 4, 2), (1, 2), (3, 2, 2, 2), 2, "nyxckl,fklc->nyxf"),
    "linalg.conv_2d_nhwc_hwcf": convolution((1, 5, 4, 2), (1, 2), (2, 2, 2, 3), 2, "nyxckl,klcf->nyxf"),
    "linalg.conv_2d_ngchw_fgchw": convolution((1, 2, 3, 5, 4), (3, 4), (4, 2, 3, 2, 2), 2, "ngcyxkl,fgckl->ngfyx"),
    "linalg.conv_2d_ngchw_gfchw": convolution((1, 2, 3, 5, 4), (3, 4), (2, 4, 3, 2, 2), 2, "ngcyxkl,gfckl->ngfyx"),
    "linalg.conv_2d_nhwgc_gfhwc": convolution((1, 5, 4, 2, 3), (1, 2), (2, 4, 2, 2, 3), 2, "nyxgckl,gfklc->nyxgf"),
    "linalg.depthwise_conv_1d_ncw_cw": convolution((1, 3, 6), (2,), (3, 2), 2, "ncxl,cl->ncx"),
    "linalg.depthwise_conv_1d_nwc_wc": convolution((1, 6, 3), (1,), (2, 3), 2, "nxcl,lc->nxc"),
    "linalg.depthwise_conv_1d_nwc_wcm": convolution((1, 6, 3), (1,), (2, 3, 2), 2, "nxcl,lcm->nxcm"),
    "linalg.depthwise_conv_2d_nchw_chw": convolution((1, 3, 5, 4), (2, 3), (3, 2, 2), 2, "ncyxkl,ckl->ncyx"),
    "linalg.depthwise_conv_2d_nhwc_hwc": convolution((1, 5, 4, 3), (1, 2), (2, 2, 3), 2, "nyxckl,klc->nyxc"),
    "linalg.depthwise_conv_2d_nhwc_hwcm": convolution((1, 5, 4, 3), (1, 2), (2, 2, 3, 2), 2, "nyxckl,klcm->nyxcm"),
    **{
        f"linalg.pooling_{order}_{kind}": pool(kind, axes, shape)
        for kind in ("max", "sum")
        for order, axes, shape in (
            ("nchw", (2, 3), (1, 2, 5, 4)),
            ("nhwc", (1, 2), (1, 5, 4, 2)),
            ("ncw", (2,), (1, 2, 6)),
            ("nwc", (1,), (1, 6, 2)),
        )
    },
    "linalg.broadcast": Case(
        [X((3,)), np.zeros((2, 3))], lambda a, _: np.tile(a, (2, 1)), "dimensions = array<i64: 0>"
    ),
    "linalg.fill": Case([X(()), np.zeros((2, 3))], lambda a, _: np.full((2, 3), a)),
    "linalg.generic": inside("arith.subf", Case([ROW, ROW], np.subtract)),
    "linalg.index": inside("", Case([X((2, 3))], lambda a: a + np.arange(3), code=INDEXED)),
    "linalg.map": Case([ROW, np.zeros((1, 4))], lambda a, _: np.tanh(a), region=MAPPED),
    "linalg.reduce": Case([X((2, 3)), np.zeros(2)], lambda a, _: a.sum(1), "dimensions = array<i64: 1>", SUM),
    "linalg.transpose": Case(
        [X((2, 3, 4)), np.zeros((4, 2, 3))], lambda a, _: a.transpose(2, 0, 1), "permutation = array<i64: 2, 0, 1>"
    ),
    **named("math", "absf erf exp expm1 tanh", [ROW]),
    **named("math", "log", [POSITIVE]),
    "math.fpowi": inside("", Case([ROW], np.square, code=POWER)),
    "math.powf": inside("math.powf", Case([ROW, np.full((1, 4), 2.0)], np.power)),
    "scf.for": Case([ROW], thrice, code=FOR),
    **named(
        "stablehlo", "abs exponential exponential_minus_one logistic negate tanh convert optimization_barrier", [ROW]
    ),
    **named("stablehlo", "add subtract maximum minimum multiply", [ROW, ROW]),
    **named("stablehlo", "log", [POSITIVE]),
    "stablehlo.broadcast_in_dim": Case(
        [X((2, 3))], lambda a: np.repeat(a.T[:, None], 2, 1), "broadcast_dimensions = array<i64: 2, 0>"
    ),
    "stablehlo.clamp": Case([np.array(-0.5), ROW, np.array(1.0)], lambda low, a, high: a.clip(low, high)),
    "stablehlo.compare": Case(
        [ONE, LIMIT],
        lambda a, b: chosen(a >= b),
        "comparison_direction = #stablehlo<comparison_direction GE>",
        after=MASK,
        returns="tensor<1x1xi1>",
    ),
    "stablehlo.concatenate": Case([X((2, 3)), np.full((2, 1), 0.5), X((2, 2))], joined, "dimension = 1 : i64"),
    "stablehlo.constant": beside(
        '"stablehlo.constant"() <{value = dense<[[1.0, 2.0, -3.0, 0.5]]> : tensor<1x4xf32>}>', [[1, 2, -3, 0.5]]
    ),
    "stablehlo.convolution": convolution((1, 2, 5, 4), (2, 3), (3, 2, 2, 2), 2, "ncyxkl,fckl->nfyx", CONVOLVED),
    "stablehlo.divide": Case([ROW, LIKE], np.divide),
    "stablehlo.dot_general": Case([X((2, 3, 4)), X((4, 5))], lambda a, b: np.einsum("bmk,kn->bmn", a, b), DOT),
    "stablehlo.dynamic_slice": Case(
        [X((3, 5)), *POSITIONS], lambda a, i, j: a[i : i + 2, j : j + 2], "slice_sizes = array<i64: 2, 2>"
    ),
    "stablehlo.dynamic_update_slice": Case([X((3, 5)), X((2, 2)), *POSITIONS], overwritten),
    "stablehlo.iota": beside('"stablehlo.iota"() <{iota_dimension = 1 : i64}>', [[0, 1, 2, 3]]),
    "stablehlo.not": Case(
        [ONE, LIMIT],
        lambda a, b: chosen(a <= b),
        code=f'{ABOVE}%r = "stablehlo.not"(%m) : ({TRUTH}) -> {TRUTH}',
        after=MASK,
    ),
    "stablehlo.pad": Case(
        [X((2, 3)), np.array(1.5)],
        lambda a, _: padded(a, (1, 0), (2, 1)),
        f"edge_padding_low = {LOW}, edge_padding_high = array<i64: 0, 1>, interior_padding = array<i64: 0, 0>",
    ),
    "stablehlo.power": Case([ROW, np.full((1, 4), 3.0)], np.power),
    "stablehlo.reduce": Case([X((2, 3)), ZERO], lambda a, _: a.sum(1), "dimensions = array<i64: 1>", ADD),
    "stablehlo.reduce_window": Case(
        [X((1, 5, 4)), np.array(-np.inf)],
        lambda a, _: strided(sliding_window_view(a, (2, 2), (1, 2)), (1, 2)).max((-2, -1)),
        "window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 1>",
        ADD.replace("stablehlo.add", "stablehlo.maximum"),
    ),
    "stablehlo.reshape": Case([X((2, 3, 4))], lambda a: a.reshape(4, 6)),
    "stablehlo.reverse": Case([X((2, 3, 4))], lambda a: a[::-1, :, ::-1], "dimensions = array<i64: 0, 2>"),
    "stablehlo.select": Case(
        [ONE, LIMIT, ONE],
        lambda a, b, c: either(a > b, a, c),
        code=f'{ABOVE}%r = "stablehlo.select"(%m, %a0, %a2) : ({TRUTH}, {SINGLE}, {SINGLE}) -> {SINGLE}',
    ),
    "stablehlo.slice": Case(
        [X((4, 6))],
        lambda a: a[1:4:2, 2:6],
        "start_indices = array<i64: 1, 2>, limit_indices = array<i64: 4, 6>, strides = array<i64: 2, 1>",
    ),
    "stablehlo.transpose": Case([X((2, 3, 4))], lambda a: a.transpose(2, 0, 1), "permutation = array<i64: 2, 0, 1>"),
    "stablehlo.while": Case([ROW], thrice, code=LOOP),
    "tensor.cast": Case([ROW], np.copy),
    "tensor.collapse_shape": Case([X((2, 3, 4))], lambda a: a.reshape(6, 4), "reassociation = [[0, 1], [2]]"),
    "tensor.concat": Case([X((2, 3)), np.full((2, 1), 0.5), X((2, 2))], joined, "dim = 1 : i64"),
    "tensor.empty": Case([ROW], np.tanh, code=MAP_ON_EMPTY),
    "tensor.expand_shape": Case(
        [X((6, 4))],
        lambda a: a.reshape(2, 3, 4),
        "reassociation = [[0, 1], [2]], static_output_shape = array<i64: 2, 3, 4>",
    ),
    "tensor.extract": Case([X((3, 5))], lambda a: np.full(3, a[1, 2]), code=EXTRACT),
    "tensor.extract_slice": Case(
        [X((4, 6))],
        lambda a: a[1:4:2, 2:6],
        f"{PART}, static_sizes = array<i64: 2, 4>, static_strides = array<i64: 2, 1>",
    ),
    "tensor.insert_slice": Case(
        [X((2, 2)), X((4, 6))],
        lambda part, a: overwritten(a, part, 1, 2),
        f"{PART}, static_sizes = array<i64: 2, 2>, static_strides = array<i64: 1, 1>",
    ),
    "tensor.pad": Case(
        [X((2, 3))],
        lambda a: padded(a, (1, 0), (2, 1)),
        f"static_low = {LOW}, static_high = array<i64: 0, 1>",
        PADDING,
    ),
    **named("tosa", "abs erf exp identity negate sigmoid tanh cast", [ROW]),
    **named("tosa", "log", [POSITIVE]),
    **named("tosa", "add sub maximum minimum", [X((2, 3)), X((1, 3))]),
    "tosa.argmax": Case([X((1, 3))], lambda a: a.argmax(1).astype(np.int32), "axis = 1 : i32"),
    "tosa.avg_pool2d": Case([X((1, 5, 4, 2)), *ZEROS], average, POOLED),
    "tosa.clamp": Case([ROW], lambda a: a.clip(-0.5, 1), "min_val = -0.5 : f32, max_val = 1.0 : f32"),
    "tosa.concat": Case([X((2, 3)), np.full((2, 1), 0.5), X((2, 2))], joined, "axis = 1 : i32"),
    "tosa.const": beside(
        '"tosa.const"() <{values = dense<[[1.0, 2.0, -3.0, 0.5]]> : tensor<1x4xf32>}>', [[1, 2, -3, 0.5]]
    ),
    "tosa.const_shape": Case(
        [X((2, 3)), Dims((3, 2))],
        lambda a: a.reshape(3, 2),
        code='%r = "tosa.reshape"(%a0, %a1) : (tensor<2x3xf32>, !tosa.shape<2>) -> tensor<3x2xf32>',
    ),
    "tosa.conv2d": Case(
        [X((1, 5, 4, 2)), FILTER.transpose(3, 0, 1, 2), BIAS[:3], *ZEROS], biased("nyxckl,fklc->nyxf"), STEPPED
    ),
    "tosa.depthwise_conv2d": Case([X((1, 5, 4, 2)), FILTER, BIAS, *ZEROS], biased("nyxckl,klcm->nyxcm"), STEPPED),
    "tosa.fully_connected": Case([X((2, 3)), LAYER, BIAS[:2]], lambda a, w, bias: a @ w.T + bias),
    "tosa.greater": Case([ONE, LIMIT], lambda a, b: chosen(a > b), after=MASK, returns=TRUTH),
    "tosa.greater_equal": Case([ONE, LIMIT], lambda a, b: chosen(a >= b), after=MASK, returns=TRUTH),
    "tosa.logical_not": Case(
        [ONE, LIMIT],
        lambda a, b: chosen(a <= b),
        code=f'{ABOVE}%r = "tosa.logical_not"(%m) : ({TRUTH}) -> {TRUTH}',
        after=MASK,
    ),
    "tosa.matmul": Case([X((1, 3, 4)), X((1, 4, 2)), *ZEROS], lambda a, b, _, __: a @ b),
    "tosa.max_pool2d": Case([X((1, 5, 4, 2))], greatest, POOLED),
    "tosa.mul": Case([X((2, 3)), X((1, 3)), np.zeros(1, np.int8)], lambda a, b, _: a * b),
    "tosa.pad": Case([X((2, 3)), Dims((1, 0, 2, 1)), np.full(1, 1.5)], lambda a, _: padded(a, (1, 0), (2, 1))),
    "tosa.pow": Case([ROW, np.full((1, 4), 2.0)], np.power),
    **{
        f"tosa.reduce_{kind}": Case([X((2, 3))], partial(getattr(np, kind), axis=1, keepdims=True), "axis = 1 : i32")
        for kind in ("max", "min", "sum")
    },
    "tosa.reshape": Case([X((2, 3, 4)), Dims((4, 6))], lambda a: a.reshape(4, 6)),
    "tosa.reverse": Case([X((2, 3))], lambda a: a[:, ::-1], "axis = 1 : i32"),
    "tosa.select": Case(
        [ONE, LIMIT, ONE],
        lambda a, b, c: either(a > b, a, c),
        code=f'{ABOVE}%r = "tosa.select"(%m, %a0, %a2) : ({TRUTH}, {SINGLE}, {SINGLE}) -> {SINGLE}',
    ),
    "tosa.slice": Case([X((4, 6)), Dims((1, 2)), Dims((2, 3))], lambda a: a[1:3, 2:5]),
    "tosa.transpose": Case([X((2, 3, 4))], lambda a: a.transpose(2, 0, 1), "perms = array<i32: 2, 0, 1>"),
}


@pytest.mark.long
@pytest.mark.parametrize("op", listed(computed=True))
def test_an_op_of_computed_tensors(op: str):
    check(op, CASES[op])


@pytest.mark.parametrize(
    ("op", "case"),
    [
        ("linalg.batch_matmul", product("bmk,bkn->bmn", (2, 3, 4), (2, 4, 2))),
        ("tosa.matmul", Case([X((2, 3, 4)), X((2, 4, 2)), *ZEROS], lambda a, b, _, __: a @ b)),
    ],
)
def test_stacks_of_matrices(op: str, case: Case):
    check(op, case)


def test_each_case_is_of_a_listed_op():
    assert CASES.keys() == {*listed(computed=True)}


@pytest.mark.parametrize(
    ("op", "case", "message"),
    [
        ("tosa.argmax", Case([X((2, 3))], lambda a: a.argmax(1).astype(np.int32), "axis = 1 : i32"), "a single vector"),
        ("stablehlo.divide", Case([ROW, ROW], np.divide), "divides by a tensor"),
        ("stablehlo.power", Case([ROW, np.full((1, 4), 4.0)], np.power), "only the exponents 1 and 2"),
        (
            "arith.uitofp",
            inside("", Case([ROW, np.full((1, 4), 0.5)], np.subtract, code=FLAGGED.replace("OP", "arith.uitofp"))),
            "single",
        ),
        ("stablehlo.convert", Case([ROW], lambda a: a.astype(np.int32)), "become floats or wider integers only"),
    ],
)
def test_what_is_refused_of_computed_tensors(op: str, case: Case, message: str):
    with pytest.raises(InputError, match=message):
        check(op, case)
