"""One file per subcommand that works on traces and engines: NAME, HELP, configure(parser) and run(args)."""
