"""A package with three extensions: the energy of inferences, graphs of programs, and runs without C optimisation."""
