"""The composer of kernels for AVR."""
