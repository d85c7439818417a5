"""Layers of networks for all frontends: tdsl ops for layers whose parameters and attributes a frontend has read.

`model_builder.py` appends ops, `ordered_tensor.py` says which axis of a model is which axis of the program,
`parameter.py` holds constants. `weighted_sums.py`, `image_windows.py` and `elementwise_layers.py` are the layers,
`quantised_numbers.py` holds what quantised layers share.
"""
