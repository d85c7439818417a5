"""Layers for all frontends: functions that emit `tdsl` ops for a layer whose parameters a frontend has parsed.

`model_builder.py` appends ops and defines their operands: constants, and tensors with the order of their axes. The
other files emit layers of neural networks, support vector machines and forests.
"""
