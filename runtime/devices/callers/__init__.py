"""Programs around a model, which call it as applications do."""
