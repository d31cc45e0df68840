"""One file a page; each has `register(session)`, which `server.py` calls for every file here."""
