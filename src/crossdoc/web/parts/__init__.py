"""Elements of pages. Text of documents and people is always escaped, never HTML."""
