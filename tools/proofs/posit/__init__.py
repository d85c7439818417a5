"""Proofs of sums of posits, which have a separate dialect of ops."""
