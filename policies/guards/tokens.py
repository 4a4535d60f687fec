"""A prompt cut into words, numbers, literals and punctuation, in one pass of one linear pattern."""

from __future__ import annotations

import re

MAX_CHARS = 4_096
"""Longer prompts exceed every embedder's window: parse calls them opaque."""

# Alternatives in order of preference. Every repetition is bounded, or runs over one class of characters and is followed
# by another, so an alternative that fails costs at most its bound.
_TOKEN = re.compile(
    r"""
    (?P<fence>```[^`]{0,4000}```|`[^`\n]{1,400}`)
  | (?P<quote>"[^"\n]{1,400}"|“[^”\n]{1,400}”|«[^»\n]{1,400}»
      |(?<!\w)['‘][^'’\n]{1,200}(?:['’](?=[a-z])[^'’\n]{1,200}){0,3}['’](?!\w))
  | (?P<code>
        https?://[^\s]{1,500}
      | [\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}
      | (?<![\w-])--?[A-Za-z][\w-]{0,40}(?![\w'’])
      | (?<![\w.])(?:~|\.{1,2})?/[A-Za-z_.][\w.*-]{0,60}(?:/[\w.*-]{0,60}){0,12}
      | (?<![\w.])\*?\.[A-Za-z]\w{0,9}\b
      | 0x[0-9A-Fa-f]{1,32}\b
      | v?\d{1,4}(?:\.\d{1,6}){2,4}(?::\d{1,5})?(?![\w.]*\w)
      | [A-Za-z_]\w{0,60}\([^()\n]{0,80}\)
      | [A-Za-z]\w{0,40}_\w{0,60}
      | \\[A-Za-z][+*?]?
      | \#include\s?<[\w./]{1,40}>
    )
  | (?P<dotted>[A-Za-z_]\w{0,40}(?:(?:\.|::|->)[A-Za-z_]\w{0,40}){1,8})
  | (?P<number>(?:(?:[$€£¥₹₩₽₺]|[A-Z]{1,2}\$)\s?)?(?<![\w.])[-−]?
        (?:\d{1,3}(?:,\d{3}){1,6}|\d{1,30})(?:[.:/]\d{1,30}(?![\w]*/)){0,2}
        (?:[A-Za-zµμ°Ω]{1,12}\d?(?:/[a-z]{1,2}\b)?(?![\w])|%|°\s?[CF]?\b)?)
  | (?P<word>(?:[CFcf](?:\+\+|\#)(?!\w))|°\s?[CF]\b|[^\W\d_]+(?:['’][^\W\d_]+)*\d{0,6}[^\W_]{0,10}|\d+[^\W_]{0,20})
  | (?P<op>(?<=\s)(?:\[\]|\(\)|\{\}|\?[.?:]|!!|::|\$[@*$?!\#])(?=\s)
      |//|>>|<<|[=<>]=?=?|!==?|&&?|\|\|?|\+\+|\+=|\+|--|-=|[-−](?=\s?(?:\d|(?:sin|cos|tan|ln|log|exp|sqrt)\b))|\*\*?|×|÷|√|\^|=>|->|→|%|/|\\|~|[$€£¥@\#])
  | (?P<punct>[.,;:?!()\[\]{}…—–\n])
  | (?P<sign>[^\w\s'"`“”‘’«»−-])
    """,
    re.VERBOSE,
)


Token = tuple[str, str]
"""Its kind (fence, quote, code, dotted, number, word, op, punct or sign) and its text."""


def tokenize(text: str) -> list[Token]:
    """The tokens of a prompt, white space and single quotation marks left out."""
    return [(match.lastgroup or "", match.group()) for match in _TOKEN.finditer(text)]
