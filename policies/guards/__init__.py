"""The typed literal guard: whether an answer to one prompt may serve another whose embedding is close.

Parse a prompt once into facts, keep them with the entry, and compare two parses: None, or the first conflict.
"""

from policies.guards.compare import DEFAULT_GUARDS, GUARDS, REASONS, compare
from policies.guards.facts import Conflict, Facts
from policies.guards.lexicon import Lexicon, default_lexicon
from policies.guards.parse import parse

__all__ = ["DEFAULT_GUARDS", "GUARDS", "REASONS", "Conflict", "Facts", "Lexicon", "compare", "default_lexicon", "parse"]
