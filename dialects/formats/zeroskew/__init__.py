"""Integers with a scale and a zero point, as TensorFlow Lite quantises. `type.py` defines the format."""
