"""Packagings of hardware modules."""
