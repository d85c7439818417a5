"""Loops on tensors that the tilings of ops into pixels and of segments into rows share."""
