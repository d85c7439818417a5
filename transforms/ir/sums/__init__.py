"""Loop-carried sums: matchers, rounding in blocks, strip mining, the loops of an accumulator."""
