"""Layers of networks for all frontends: tdsl ops for layers whose parameters and attributes a frontend has read.

`model_builder.py` appends ops, `ordered_tensor.py` maps the axes of a model to those of the program, and `parameter.py`
holds constants. The other files are layers: weighted sums, windows of images, elementwise layers, support vector
machines and forests.
"""
