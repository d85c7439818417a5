"""What executes.

`evaluator/` on the desk, `devices/` on simulators and the host, `include/` on the chip; `model/` is what they agree on.
"""
