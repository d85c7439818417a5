"""Proofs that the integer programs of formats compute the results that the formats document."""
