"""All that is particular to a language, one folder each."""
