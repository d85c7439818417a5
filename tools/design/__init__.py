"""The design of programs from labelled tables: families of models, the search, the front and its report."""
