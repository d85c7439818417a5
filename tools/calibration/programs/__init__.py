"""The programs that calibration measures, and their costs on simulated devices."""
