"""Advice for users whose model contains unsupported operators of TensorFlow Lite."""

from __future__ import annotations

from collections.abc import Iterable

_UNROLLED = "convert recurrent layers unrolled; in Keras, LSTM(..., unroll=True)"

_LOOPS = ("WHILE", "UNIDIRECTIONAL_SEQUENCE_RNN", "BIDIRECTIONAL_SEQUENCE", "LSTM", "RNN", "CUSTOM FlexTensorList")

_CURES = {
    **dict.fromkeys(_LOOPS, _UNROLLED),
    "CUSTOM ethos-u": "give the file from before Vela, the compiler of the Ethos-U",
    "CUSTOM edgetpu": "give the file from before the compiler of the Edge TPU",
    "CUSTOM": "a package can import it, as 'tinyml new op' writes one, or end the model before it",
    "BUCKETIZE": "trees and forests divide features into intervals by themselves",
    "ARG_MAX": "only the index of one vector, as an output, is: end the model before it, so that it returns the scores",
    "CAST": "floats become integers only as indices of GATHER; other conversions to integers have no form on reals",
    **dict.fromkeys(
        ("GREATER", "LESS", "SELECT"),
        "choices by comparisons, as in selu, are not read: elu or gelu stand for it, and ONNX has an op Selu",
    ),
    "NOT_EQUAL": "a layer Masking skips steps as the data ask for it: train without it, on sequences of one length",
}
"""Advice by the prefix of an operator's name."""


def advice(kind: str) -> str:
    """Advice for the user of a model with operators of the unsupported kind `kind`."""
    known = (cure for beginning, cure in _CURES.items() if kind.startswith(beginning))
    return next(known, "write it with other operators, or end the model before it")


def recurrent(kinds: Iterable[str]) -> str | None:
    """The first of the operator names `kinds` that denotes an operator that iterates over a sequence; None if there is
    none.
    """
    return next((kind for kind in kinds if advice(kind) == _UNROLLED), None)
