"""The printer of hardware modules as Verilog."""
