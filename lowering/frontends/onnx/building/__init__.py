"""Values of a model while it is imported, and the tdsl ops that compute them."""
