"""Settings and the packaged configuration files."""
