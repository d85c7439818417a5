"""Simulation of hardware modules that were compiled to Verilog."""
