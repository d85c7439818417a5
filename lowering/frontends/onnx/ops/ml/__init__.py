"""Handlers of the ops of the domain ai.onnx.ml, in which converters of scikit-learn write models."""

ML = "ai.onnx.ml"
