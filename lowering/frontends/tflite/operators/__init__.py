"""The operators that the importer supports: one function for each, in the file of its kind."""
