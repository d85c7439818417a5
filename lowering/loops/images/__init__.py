"""Loops over images: windows, pools, averages, and rows that the caller sends."""
