"""Proofs that the integer programs of formats compute what the formats document."""
