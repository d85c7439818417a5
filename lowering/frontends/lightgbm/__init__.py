"""Models of LightGBM, from the text that `save_model` writes and the JSON of `dump_model`."""
