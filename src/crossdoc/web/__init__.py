"""The explorer: a local page to see who is who, understand why, and correct it (extra `crossdoc[web]`)."""
