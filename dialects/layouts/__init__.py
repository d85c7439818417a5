"""How arrays lie in bytes: packed integers, sparse rows. numpy only, no IR."""
