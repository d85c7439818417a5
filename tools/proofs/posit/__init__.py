"""Proofs of sums of posits, whose ops are those of a dialect of their own."""
