"""Programs that compute features of signals, built from their parameters."""
