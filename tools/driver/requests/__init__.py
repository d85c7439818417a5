"""Requests to compile and to search, whose fields are the options of commands."""
