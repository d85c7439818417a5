"""Other libraries that say what is right."""
