"""Front ends: programs that compute features of signals, built from parameters."""
