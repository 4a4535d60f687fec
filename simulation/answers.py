"""The response cache in front of the engines: which answers are kept, and until when."""

import math
from collections import OrderedDict


class Answers:
    """Finished answers by key, with expiry (counted from storing) and least recent use.

    A key is an identity, or a number below 0 for a request that equals no other. `question` is what a semantic cache
    recognises in a key: key // wordings.
    """

    def __init__(self, ttl_s: float = math.inf, max_entries: int | None = None, wordings: int = 1) -> None:
        self._ttl_s = ttl_s
        self._max_entries = max_entries
        self._wordings = wordings
        self._expires: OrderedDict[int, float] = OrderedDict()  # least recently used first
        self._of_question: dict[int, dict[int, None]] = {}

    def __len__(self) -> int:
        return len(self._expires)

    def has(self, key: int, now_s: float) -> bool:
        """Whether a fresh answer is kept under this very key; counts as a use."""
        expires = self._expires.get(key)
        if expires is None:
            return False
        if expires <= now_s:
            self._drop(key)
            return False
        self._expires.move_to_end(key)
        return True

    def has_question(self, key: int, now_s: float) -> bool:
        """Whether a fresh answer to the same question is kept, however worded; counts as a use of the one found."""
        keys = self._of_question.get(self._question(key), ())
        return any(self.has(other, now_s) for other in list(keys))

    def has_any(self, now_s: float) -> bool:
        while self._expires:
            key, expires = next(iter(self._expires.items()))
            if expires > now_s:
                return True
            self._drop(key)
        return False

    def store(self, key: int, now_s: float) -> None:
        self._expires[key] = now_s + self._ttl_s
        self._expires.move_to_end(key)
        self._of_question.setdefault(self._question(key), {})[key] = None
        if self._max_entries is not None and len(self._expires) > self._max_entries:
            self._drop(next(iter(self._expires)))

    def _question(self, key: int) -> int:
        return key if key < 0 else key // self._wordings

    def _drop(self, key: int) -> None:
        del self._expires[key]
        question = self._question(key)
        keys = self._of_question[question]
        del keys[key]
        if not keys:
            del self._of_question[question]
