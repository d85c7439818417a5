"""Estimators that are made of others: transformers of columns, and ensembles of any estimators."""
