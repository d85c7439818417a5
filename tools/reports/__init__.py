"""Tables, pictures and reports for people."""
