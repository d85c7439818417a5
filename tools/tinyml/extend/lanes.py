"""Lanes: vector units that compute loops over elements.

A `LoopCoder` is a row of the chip's table. Its composer receives an `ElementLoop`, and returns the kernel, whose head
and plain C are `loop_signature` and `loop_in_c`, or None.
"""

from tinyml.dialects.layouts.element_loops import REDUCTIONS, Constant, ElementLoop, Operand, Step
from tinyml.targets.c.composer.loops_in_c import loop_in_c, loop_signature
from tinyml.targets.makers import LoopCoder

__all__ = ["REDUCTIONS", "Constant", "ElementLoop", "LoopCoder", "Operand", "Step", "loop_in_c", "loop_signature"]
