"""The referee of linear.py: cells, engines, what their solutions violate, and the record."""
