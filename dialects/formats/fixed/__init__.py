"""Fixed point: raw * 2^-frac, saturating, rounded half up. `type.py` defines the format."""
