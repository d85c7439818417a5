"""The way from a program on reals to C, as named lists of passes that any tool can run and cut."""

from __future__ import annotations

CHOOSE = ("choose-storage", "choose-accumulators", "canonicalize", "cse")
"""L1: decisions that the formats allow, after assign-format."""

BUFFERS = ("lower-tdsl-to-scratch", "cse", "pack-scratch", "check-packing")
"""L1 to packed L2."""

LOOPS = ("lower-tdsl-to-loops", "canonicalize", "cse", "licm")
"""L2 to L3."""

BITS = ("lower-num-to-arith", "canonicalize", "cse", "licm")
"""L3 to L4."""

C = ("lower-arith-to-c",)
"""L4 to L5."""

PIPELINES: dict[str, tuple[str, ...]] = {
    "tdsl-to-c": (*CHOOSE, *BUFFERS, *LOOPS, *BITS, *C),
}
"""Pipelines that stand for passes of their own; `profile` and `assign-format` come before, with their options."""
