"""The explorer: see who is who, understand why, correct it; in a browser, through HTTP, and in Python."""
