"""The kernel generator (composer) for AVR."""
