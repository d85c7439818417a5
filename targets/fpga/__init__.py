"""FPGAs: programs become hardware modules."""
