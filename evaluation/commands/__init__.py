"""The subcommands of `python -m evaluation`, one a file: NAME, HELP, configure(parser), run(args) -> exit status."""
