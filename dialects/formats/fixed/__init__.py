"""Fixed point: raw * 2^-frac, rounded half up and saturating. `type.py` defines the format."""
