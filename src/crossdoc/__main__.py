"""`python -m crossdoc` is the command `crossdoc`."""

from crossdoc.cli import main

main()
