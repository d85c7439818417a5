"""Frontends: importers of further kinds of model files, as programs on reals, and of ops of ONNX and TensorFlow Lite.

A frontend checks the content of a file, and appends ops to a `ModelBuilder`. Functions append layers of networks,
forests and support vector machines; their arguments are the model's numbers, as arrays or `Parameter`s.
"""

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.lowering.frontends.layers.affine import affine
from tinyml.lowering.frontends.layers.dense_layers import GREATEST as UNLIMITED
from tinyml.lowering.frontends.layers.dense_layers import dense
from tinyml.lowering.frontends.layers.dense_layers import limited as clamp
from tinyml.lowering.frontends.layers.model_builder import (
    ModelBuilder,
    OrderedTensor,
    Parameter,
    hint,
    reals,
    start_format,
    start_parameter,
)
from tinyml.lowering.frontends.layers.network_layers import (
    FILTER,
    Windows,
    batch_normalisation,
    convolution,
    filter_in,
    global_pool,
    pool,
    same_padding,
    same_windows,
    transposed_convolution,
)
from tinyml.lowering.frontends.layers.network_layers import TRANSPOSED as TRANSPOSED_FILTER
from tinyml.lowering.frontends.layers.network_layers import binary as binary_op
from tinyml.lowering.frontends.layers.support_vectors import KernelFunction, kernel_sums, pair_coefficients, votes
from tinyml.lowering.frontends.layers.tree_ensembles import LEAF, Tree, forest
from tinyml.lowering.frontends.model_ops import ModelOp

__all__ = [
    "ELEMENT_LIMIT",
    "F32_FORMAT",
    "FILTER",
    "LEAF",
    "TRANSPOSED_FILTER",
    "UNLIMITED",
    "InputError",
    "KernelFunction",
    "ModelBuilder",
    "ModelOp",
    "OrderedTensor",
    "Parameter",
    "Tree",
    "Windows",
    "affine",
    "batch_normalisation",
    "binary_op",
    "clamp",
    "convolution",
    "dense",
    "filter_in",
    "forest",
    "global_pool",
    "hint",
    "kernel_sums",
    "pair_coefficients",
    "pool",
    "reals",
    "same_padding",
    "same_windows",
    "start_format",
    "start_parameter",
    "tdsl",
    "transposed_convolution",
    "votes",
]
