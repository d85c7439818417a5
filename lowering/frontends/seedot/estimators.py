"""Import of the estimators of `tinyml.models` by the SeeDot programs of their papers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, reals
from tinyml.lowering.frontends.seedot.importer import INPUT, emit_seedot
from tinyml.lowering.frontends.sklearn.fitted import Handler, array, fitted_attribute

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _scores(to: ModelBuilder, lines: Iterable[str], x: SSAValue, arrays: Mapping[str, NDArray[Any]]) -> SSAValue:
    """Emit the scores 1 x K of a program.

    lines: the lines of the program, whose input X is the column of the features.
    arrays: the program's parameters by name.
    """
    column = to.reshape(x, (prod(shape_of(x)), 1))
    constants = {name: to.parameter(replace(reals(numbers), name=name)) for name, numbers in arrays.items()}
    scores = emit_seedot("\n".join(lines), to, {INPUT: column, **constants})
    return to.reshape(scores, (1, prod(shape_of(scores))))


def bonsai(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the scores of Bonsai. sigma is multiplied into V."""
    W, V, theta = (array(to, estimator, name) for name in ("W_", "V_", "theta_"))
    arrays = {"Z": array(to, estimator, "Z_"), "offset": array(to, estimator, "offset_")[:, None]}
    arrays |= {"W": W, "V": estimator.sigma * V}
    lines = ["let ZX = Z * X + offset in", "let node0 = 0 in"]
    for level in range(depth := int(estimator.depth) + 1):
        node, before = f"node{level}", f"score{level - 1} + " if level else ""
        lines.append(f"let score{level} = {before}((W[{node}] * ZX) <*> tanh(V[{node}] * ZX)) in")
        if level + 1 < depth:
            arrays["T"] = theta[:, None, :]
            children = f"(2 * {node}) + 1 : (2 * {node}) + 2"
            lines.append(f"let node{level + 1} = (T[{node}] * ZX) >= 0 ? {children} in")
    return _scores(to, [*lines, f"score{depth - 1}"], x, arrays)


def protonn(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the scores of ProtoNN."""
    B, Z = array(to, estimator, "B_"), array(to, estimator, "Z_")
    lines = [
        "let WX = W * X in",
        f"$(i = [0:{len(B)}]) (",
        "    let del = WX - B[i] in",
        "    Z[i] * exp(-g2 * (del^T * del))",
        ")",
    ]
    g2 = np.array(float(fitted_attribute(to, estimator, "gamma_")) ** 2)
    arrays = {"W": array(to, estimator, "W_"), "B": B[:, :, None], "Z": Z[:, :, None], "g2": g2}
    return _scores(to, lines, x, arrays)


def fastgrnn(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the scores of FastGRNN. Matrices of a low rank are two products."""
    arrays: dict[str, NDArray[Any]] = {}
    products: dict[str, str] = {}
    for name, operand in (("W", "XX[i]"), ("U", "H")):
        matrices = [np.asarray(matrix) for matrix in fitted_attribute(to, estimator, f"{name}_")]
        names = [name] if len(matrices) == 1 else [f"{name}{index + 1}" for index in range(len(matrices))]
        arrays |= dict(zip(names, matrices, strict=True))
        products[name] = " * ".join((operand, *names))
    for name in ("Bg", "Bh", "FC", "FCbias"):
        arrays[name] = array(to, estimator, f"{name}_", 2)
    arrays |= {name: np.array(float(fitted_attribute(to, estimator, f"{name}_"))) for name in ("zeta", "nu")}
    steps, hidden = int(estimator.steps), len(arrays["FC"])
    lines = [
        f"let XX = reshape(X, ({steps}, 1, {prod(shape_of(x)) // steps}), (1, 2)) in",
        f"let H = init([1, {hidden}], 0.0) in",
        f"let res = loop(i = [0:{steps}], H) (",
        f"    let c = ({products['W']}) + ({products['U']}) in",
        "    let g = sigmoid(c + Bg) in",
        "    let h = tanh(c + Bh) in",
        "    let H = (g <*> H) + (zeta * (1.0 - g) + nu) <*> h in H",
        ") in",
        "(res * FC) + FCbias",
    ]
    return _scores(to, lines, x, arrays)


HANDLERS: Mapping[str, Handler] = {"Bonsai": bonsai, "ProtoNN": protonn, "FastGRNN": fastgrnn}
"""The handlers by the names of the classes."""
