"""What people read: tables, pictures, reports."""
