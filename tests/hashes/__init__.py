"""A check that changes of the compiler do not alter the generated C of about 280 programs unnoticed (`make hashes`)."""
