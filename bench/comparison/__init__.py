"""What bench/compare.py is made of: a module for each family of rows."""
