"""The computer itself as a chip of a package, whose kernels are none and whose runner measures the size of `main`."""
