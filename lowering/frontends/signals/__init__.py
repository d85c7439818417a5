"""Front ends: programs that compute features of signals, generated from parameters."""
