"""Layouts of arrays in bytes: packed integers and sparse rows. numpy only, no IR."""
