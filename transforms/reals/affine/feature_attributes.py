"""The attributes of an argument whose features have scales and zeros."""

from __future__ import annotations

from xdsl.dialects import func

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.ir.attributes import argument_attribute, set_argument_attribute


def set_feature_map(function: func.FuncOp, features: tdsl.FeatureMap) -> None:
    """Record the scales and zeros of a function's features; a declared range becomes that of the argument."""
    for name, attribute in features.attributes.items():
        set_argument_attribute(function, name, attribute)
    declared = argument_attribute(function, tdsl.RANGE)
    if isinstance(declared, tdsl.Range):
        ends = features.of_features(np.array([[declared.low.data], [declared.high.data]]))
        set_argument_attribute(function, tdsl.RANGE, tdsl.Range(float(ends.min()), float(ends.max())))
