"""`python -m crossdoc` is the command `crossdoc`."""

from crossdoc.cli import main

# A process that is started by another one imports this file, too.
if __name__ == "__main__":
    main()
