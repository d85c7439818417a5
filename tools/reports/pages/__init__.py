"""Pages in HTML, each one file without scripts or styles from elsewhere."""
