"""Patches: the beginning of a network tile by tile (MCUNet-v2, Lin et al. 2021).

`nest` builds the loops over tiles, `choice` decides how far they reach and how many there are.
"""
