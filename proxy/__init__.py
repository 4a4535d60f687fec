"""askonce: an OpenAI-compatible reverse proxy that asks a model once."""
