"""`fill-missing`: replaces missing values by imputed numbers when the caller's floats are converted (L0)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.reals.analysis.missing_values import origins


@dataclass(frozen=True)
class FillMissingPass(ConditionalPass):
    """Remove every `tdsl.impute`, and record the replacements of missing input elements (`fills`, `imputed`) in the
    interface.

    If an input has a unit, no replacements are recorded, because integers of a sensor are never missing. Raises
    `InputError` for two imputers that replace one element by different numbers, and for a streaming program.
    """

    name = "fill-missing"
    ACTS_ON = (tdsl.ImputeOp,)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = predict_function(op)
        imputers = [one for one in function.walk() if isinstance(one, tdsl.ImputeOp)]
        if not imputers:
            return
        [argument] = function.body.block.args
        fills = np.full(int(np.prod(tdsl.shape_of(argument))), np.nan)
        found = origins(function)
        for imputer in imputers:
            if imputer.input in found:
                origin = found[imputer.input]
                values = origin.arguments(imputer.fills).ravel()
                given = ~np.isnan(values)
                elements, values = origin.elements.ravel()[given], values[given].astype(np.float32)
                if (wrong := fills[elements][~np.isnan(fills[elements]) & (fills[elements] != values)]).size:
                    raise InputError(
                        f"two imputers replace one feature by different numbers, {wrong[0]:g} among them: put one"
                        " SimpleImputer() before both"
                    )
                fills[elements] = values
        for imputer in imputers:
            Rewriter.replace_op(imputer, [], [imputer.input])
        interface, imputed = tdsl.read_input(function), np.flatnonzero(~np.isnan(fills))
        if interface.unit is not None or not imputed.size:
            tdsl.update_input(function, missing=False, fills=None, imputed=None)
            return
        if interface.pushed is not None:
            raise InputError("a program that streams has no imputer: impute values before they are pushed")
        named = tuple(imputed.tolist()) if len(imputed) < len(fills) else None
        tdsl.update_input(function, missing=True, fills=tuple(np.nan_to_num(fills).tolist()), imputed=named)
