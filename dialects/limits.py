"""The greatest number of elements that tensors of the input may have."""

from __future__ import annotations

from contextvars import ContextVar

ELEMENT_LIMIT: ContextVar[int] = ContextVar("ELEMENT_LIMIT", default=5 * 10**7)
"""The most elements of an array in a file, of a tensor in a program, and of all constants of a module together.

The default admits the 60000 training images of MNIST, 784 pixels each: 0.6 GB as float64 with a copy as float32.
`--max-elements`, an option of every command, sets it.
"""
