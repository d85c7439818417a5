"""The energy of inferences, graphs of programs, and runs without optimisation."""
