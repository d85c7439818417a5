"""Importers, which convert models, in files or Python objects, to programs: on reals or, for quantised models, in the
number formats of the model.
"""
