"""The data files and their descriptions."""
