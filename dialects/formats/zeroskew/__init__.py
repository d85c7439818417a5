"""The `zeroskew` formats: integers with a scale and a zero point, as in TensorFlow Lite. `type.py` defines the
format.
"""
