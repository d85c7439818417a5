"""Sums that loops carry: matchers, rounding in blocks, strip mining, the loops of an accumulator."""
