"""A comparison of the generated code of about 280 programs with stored digests, which reveals unintended changes (`make
hashes`).
"""
