"""A store that creates each program once, with the results that have been computed about each program."""
