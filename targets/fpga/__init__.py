"""FPGAs: devices, and how long their logic takes."""
