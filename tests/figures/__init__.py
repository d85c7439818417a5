"""Figures of the pages: `docs/figures/` holds them, commands measure them and tables show them (`make figures`)."""
