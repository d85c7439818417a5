"""The choice of formats, widths and schedule for a model and a board (`--format auto`)."""
