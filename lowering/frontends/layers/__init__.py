"""Layers of networks for all frontends: tdsl ops of layers whose parameters and attributes a frontend has read.

`model_builder.py` appends ops and defines their operands: constants, and tensors with the order of their axes. The
other files emit layers: neural networks, support vector machines and forests.
"""
