"""Loops on tensors, shared by the tilings of ops into pixels and of segments into rows."""
