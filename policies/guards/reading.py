"""From tokens to words: contractions spelled out, literals set aside, phrases read as one."""

from __future__ import annotations

import re
from typing import NamedTuple

from policies.guards.lexicon import _END, GAP, Lexicon, Trie
from policies.guards.number_words import NUMBER_WORDS
from policies.guards.said import kept_case
from policies.guards.signs import (
    SIGN_KINDS,
    SIGN_NAMES,
    is_asked_sign,
    is_lone_mark,
    is_sign,
    major_chord,
    marks_count,
    named_sign,
)
from policies.guards.spelling import is_plain_slip, suggestion
from policies.guards.tokens import Token
from policies.guards.vocabulary import base_form, common_slips, known_words

CAPITAL, POSSESSIVE, START, CONTRACTED, DIGITS, IDENTIFIER = 1, 2, 4, 8, 16, 32
_STRONG = frozenset(
    (
        "==", "===", "!=", "!==", "<=", ">=", ">>", "<<", "&&", "||", "++", "--", "+=", "-=", "=>", "->", "**", "//",
        "|", "<", ">", "<>", "=",
    )
)  # fmt: skip
_SIGNS = {
    "+": "plus",
    "-": "minus",
    "−": "minus",
    "*": "times",
    "×": "times",
    "/": "dividedby",
    "÷": "dividedby",
    "√": "squareroot",
    "^": "topower",
}
_APPLIED = re.compile(r"((?:arc)?(?:sin|cos|tan)h?|ln|log|exp|sqrt|sec|csc|cot)\(([a-z])\)")
"""A function of mathematics with its argument: "sin(x)" is "sin x"."""
_ORDINALS = {"1st": "first", "2nd": "second"}
_POWERS = {"squared": "2", "cubed": "3"}
_BEHIND_NUMBERS = frozenset((*_POWERS, "times", "day", "week", "month", "year"))
_TIED_BY_TIMES = NUMBER_WORDS | {"table", "tables", "x", "y", "z"}
"""Behind these "times" multiplies."""
_SUBTRACTING = frozenset(("subtract", "deduct"))
_ASKING_VALUE = frozenset(("what", "is", "calculate", "compute", "evaluate", "?", ".", "=", "the", "result", "of"))
_LAST_DAY = 31
"""What is less may be a date or a fraction ("9/11"), and what makes up 100 a share ("80/20")."""
_TIMES = frozenset(("seconds", "minutes", "hours", "days", "weeks", "months"))
_ASKING_RATES = frozenset(("many", "much", "often"))
"""With these "in a month" is "per month"; else it says by when."""
_QUOTES = "\"'`“”‘’«»"


_FREQUENT = 20_000
"""The rank of a word that is put right at once. A rarer one is but a guess: "juliete" is no clear Juliette."""
_TOLD_MARKS = 8
"""Literals whose quotation marks are looked at."""


class Item(NamedTuple):
    word: str
    """Lower case; a punctuation mark for itself."""
    flags: int
    raw: str
    """The token as written; DIGITS in its flags marks a number."""


class Reading(NamedTuple):
    items: list[Item]
    quoted: list[str]
    code: list[str]


_STOPS = frozenset(".!?;\n…:")


def read(tokens: list[Token], lexicon: Lexicon) -> Reading:
    """Words in order, with what is quoted and what is code set aside."""
    items: list[Item] = []
    quoted: list[str] = []
    code: list[str] = []
    titled = _is_titled(tokens)
    contractions = lexicon.small.contractions
    known, slips = known_words(), common_slips()
    start = True
    for position, token in enumerate(tokens):
        kind, text = token
        if kind == "word":
            flags = START if start else 0
            start = False
            lowered = text.lower().replace("’", "'") if not text.islower() or "’" in text else text
            if not titled and not flags and text[0].isupper() and text != "I" and not text.startswith(("I'", "I’")):
                flags |= CAPITAL
            if text[0].islower() and not text.islower() and lowered not in known:
                flags |= IDENTIFIER  # "getUsers" is no plural, and nothing in it is a slip
            if text[0] == "°":
                items.append(Item("celsius" if text[-1] == "C" else "fahrenheit", 0, text))
                continue
            if "'" in lowered:
                _contraction(items, lowered, flags, lexicon)
                continue
            spelled = contractions.get(lowered)
            if spelled is not None and not (flags & CAPITAL):
                items.extend(
                    Item(word, flags if number == 0 else CONTRACTED, "") for number, word in enumerate(spelled)
                )
                continue
            if lowered in slips and not flags & (CAPITAL | IDENTIFIER):
                lowered = slips[lowered]
            elif (
                lowered not in known
                and not flags & IDENTIFIER
                and (not flags & CAPITAL or len(lowered) > 5)
                and lowered not in lexicon.spelled
                and lowered not in lexicon.symbols
                and lowered not in lexicon.entries
                and lowered not in lexicon.listed
                and base_form(lowered) not in known
                and lowered not in lexicon.small.foreign
            ):
                intended = suggestion(lowered, lexicon.listed)
                if (
                    intended in lexicon.listed
                    or base_form(intended) in lexicon.listed
                    or (not flags & CAPITAL and known.get(intended, 0) < _FREQUENT and is_plain_slip(lowered, intended))
                ):
                    lowered = intended
            if lowered in SIGN_KINDS and position and is_sign(tokens[position - 1]):
                lowered = "symbol"
            if text == "US":
                lowered = "usa"
            elif "M" in text[1:3]:
                lowered = major_chord(tokens, position) or lowered
            elif text == "IT" and not titled:
                lowered = "infotech"
            elif flags & CAPITAL and len(text) > 1 and text.isupper():
                flags |= CAPITAL
            items.append(Item(lowered, flags, text))
        elif kind == "punct" and not (text in "!?" and is_asked_sign(tokens, position)):
            start = text in _STOPS or start
            items.append(Item(text, 0, ""))
        elif kind == "number":
            start = False
            items.append(Item(text.strip().lower(), DIGITS, text.strip()))
        elif kind in ("quote", "fence") and text[1:-1] in SIGN_NAMES and not (quoted or code) and is_lone_mark(tokens):
            start = False
            sign = (*tokens[:position], ("op", text[1:-1]), *tokens[position + 1 :])
            items.extend(Item(word, 0, text[1:-1]) for word in named_sign(sign, position))
        elif kind == "quote":
            start = False
            literal = kept_case(text.strip(_QUOTES)).strip(" .,!?;:")
            told = text[0] == "'" and len(quoted) < _TOLD_MARKS and marks_count(literal, tokens)
            quoted.append(f"'{literal}'" if told else literal)
            items.append(Item('"', 0, ""))
        elif kind == "fence":
            start = False
            code.append(" ".join(text.strip("`").split()))
            items.append(Item('"', 0, ""))
        elif kind == "code" and (applied := _APPLIED.fullmatch(text)):
            start = False
            items.extend(Item(part, 0, part) for part in applied.groups())
        elif kind == "code":
            start = False
            code.append(text.rstrip(".,"))
            items.append(Item('"', 0, ""))
        elif kind == "dotted":
            start = _dotted(items, code, text, start, titled)
        else:
            _sign(items, code, text, tokens, position)
    return Reading(_settled(items, lexicon), quoted, code)


def _settled(items: list[Item], lexicon: Lexicon) -> list[Item]:
    """Words that what stands near them decides: "what's been changed" is "what has been changed", "2nd" is "second" but
    for a date."""
    for place, item in enumerate(items):
        if item.word == "is" and not item.raw and any(later.word == "been" for later in items[place + 1 : place + 5]):
            items[place] = item._replace(word="has")
        elif item.word in _ORDINALS:
            near = items[max(place - 2, 0) : place + 3]
            if not any(other.word in lexicon.small.months for other in near):
                items[place] = Item(_ORDINALS[item.word], item.flags & ~DIGITS, "")
        elif item.word in _BEHIND_NUMBERS and place:
            _settle_behind(items, place)
        elif item.word in _SUBTRACTING or (item.flags & DIGITS and "/" in item.word):
            _settle_arithmetic(items, place)
    return items


def _settle_behind(items: list[Item], place: int) -> None:
    """What a number or an article before it makes of a word: "3 squared", "two times", "a month"."""
    word, before = items[place].word, items[place - 1]
    following = items[place + 1] if place + 1 < len(items) else None
    if word in _POWERS:
        if before.flags & DIGITS or before.word in NUMBER_WORDS or (len(before.word) == 1 and before.word.isalpha()):
            items[place : place + 1] = [Item("topower", 0, ""), Item(_POWERS[word], DIGITS, _POWERS[word])]
    elif word == "times" and items[place].raw:
        tied = following is not None and (following.flags & DIGITS or following.word in _TIED_BY_TIMES)
        if before.word in ("two", "2") and not tied:
            items[place - 1 : place + 1] = [Item("twice", before.flags & START, "")]
    elif before.word in ("a", "one", "1") and place > 1 and items[place - 2].word in ("in", "within"):
        rate = any(item.word in _ASKING_RATES for item in items) and not _counts_time(items, place - 3)
        items[place - 1] = Item("a" if rate else "one", 0, "")


def _settle_arithmetic(items: list[Item], place: int) -> None:
    """ "Subtract 18 from 45" is "45 - 18", and where nothing else is said "936/12" is a division."""
    if items[place].word in _SUBTRACTING:
        taken = items[place : place + 4]
        if len(taken) > 3 and taken[2].word == "from" and taken[1].flags & taken[3].flags & DIGITS:
            items[place : place + 4] = [taken[3], Item("minus", 0, ""), taken[1]]
    elif all(item is items[place] or item.word in _ASKING_VALUE for item in items):
        one, _, other = items[place].word.partition("/")
        if one.isdigit() and other.isdigit() and _LAST_DAY < int(one) != 100 - int(other) and len(one) != 4:
            both = [Item(number, DIGITS, number) for number in (one, other)]
            items[place : place + 1] = [both[0], Item("dividedby", 0, ""), both[1]]


def _counts_time(items: list[Item], place: int) -> bool:
    """ "How many weeks are in a year": the weeks of one."""
    while place > 0 and items[place].word in ("are", "is", "there"):
        place -= 1
    return place > 0 and items[place].word in _TIMES


def _is_titled(tokens: list[Token]) -> bool:
    """Whether capitals say nothing here: all capitals, or Every Word Has One."""
    words = [text for kind, text in tokens if kind == "word" and len(text) > 1]
    return len(words) > 2 and sum(word[0].isupper() for word in words) > 0.6 * len(words)


def _contraction(items: list[Item], word: str, flags: int, lexicon: Lexicon) -> None:
    """Spell out "what's", "isn't", "I'd"; mark the possessive of "Canada's"."""
    stem, _, ending = word.rpartition("'")
    plain = lexicon.small.contractions.get(word.replace("'", ""))
    if plain is not None and ending != "s":
        items.extend(Item(part, flags if number == 0 else CONTRACTED, "") for number, part in enumerate(plain))
    elif word.endswith("n't"):
        base = {"ca": "can", "wo": "will", "sha": "shall"}.get(word[:-3], word[:-3])
        if base:
            items.append(Item(base, flags, ""))
        items.append(Item("not", CONTRACTED, ""))
    elif ending == "s":
        if stem in lexicon.small.question or stem in ("it", "that", "there", "here", "he", "she"):
            items.append(Item(stem, flags, ""))
            items.append(Item("is", 0, ""))
        elif stem == "let":
            items.append(Item("let", flags, ""))
            items.append(Item("us", 0, ""))
        else:
            items.append(Item(stem, flags | POSSESSIVE, ""))
    elif ending in ("re", "m", "ve", "d", "ll"):
        items.append(Item(stem, flags, ""))
        items.append(Item({"re": "are", "m": "am", "ve": "have", "d": "would", "ll": "will"}[ending], 0, ""))
    else:
        items.append(Item(word.replace("'", ""), flags, ""))


def _dotted(items: list[Item], code: list[str], text: str, start: bool, titled: bool) -> bool:
    """An abbreviation, two sentences without a space between, or code."""
    parts = text.split(".")
    if "::" not in text and "->" not in text:
        if all(len(part) <= 2 for part in parts) and len(parts[0]) == 1:
            joined = "".join(parts).lower()
            items.append(Item("usa" if joined == "us" else joined, 0 if start or titled else CAPITAL, ""))
            return False
        if (
            parts[0].lower() in known_words()
            and parts[-1][0].isupper()
            and not parts[0][0].isupper()
            and parts[-1].lower() in known_words()
        ):
            items.append(Item(parts[0], 0, ""))
            items.append(Item(".", 0, ""))
            items.append(Item(parts[-1].lower(), START, ""))
            return False
        if text.lower() in ("node.js", "react.js", "vue.js", "next.js"):
            items.append(Item(text.lower(), 0, ""))
            return False
    code.append(text.rstrip("."))
    items.append(Item('"', 0, ""))
    return False


def _sign(items: list[Item], code: list[str], text: str, tokens: list[Token], position: int) -> None:
    """An operator: code if it can be nothing else, arithmetic beside a number or a single letter, else a mere mark."""
    before = tokens[position - 1] if position else None
    behind = tokens[position + 1] if position + 1 < len(tokens) else None
    if is_asked_sign(tokens, position):
        if len(text) > 1:
            code.append(text)
        else:
            items.extend(Item(word, 0, text) for word in named_sign(tokens, position))
        return
    text = "->" if text == "→" else text
    near = [token for token in (before, behind) if token is not None]
    formula = any(
        kind == "number" or (kind == "word" and len(sign) == 1) or (kind == "code" and sign[-1] == ")")
        for kind, sign in near
    )
    if text in _SIGNS and formula:
        items.append(Item(_SIGNS[text], 0, ""))
    elif text in ("++", "--") and formula:
        # "i++" is not "++i".
        led = before is not None and before[0] == "word" and len(before[1]) == 1
        code.append(f"{before[1]}{text}" if led and before else f"{text}{behind[1]}" if behind else text)
    elif text == "=" and before and before[0] == "number" and (behind is None or behind[1] == "?"):
        return  # "2 + 3 = ?"
    elif text in _STRONG and (len(text) > 1 or formula):
        code.append(text)
    elif text == "%" and before is not None and before[0] == "number":
        items.append(Item("percent", 0, ""))
    elif text in ("&",):
        items.append(Item("and", 0, ""))
    elif text == "/":
        items.append(Item("or", 0, ""))


def apply_phrases(items: list[Item], trie: Trie) -> list[Item]:
    """Replace every longest phrase of the trie, left to right."""
    result: list[Item] = []
    index, size = 0, len(items)
    while index < size:
        item = items[index]
        node = trie.get(item.word)
        if node is not None:
            end, replacement, gap = longest(items, index + 1, node, size)
            if end:
                gap_items = iter(gap)
                first = True
                for word in replacement:
                    if word == GAP:
                        result.extend(gap_items)
                    else:
                        result.append(
                            Item(
                                word,
                                ((item.flags & (START | CAPITAL)) if first else 0) | (DIGITS if word.isdigit() else 0),
                                item.word if word[0] == "!" else word,
                            )
                        )
                        first = False
                if not replacement and item.flags & START and end < size:
                    items[end] = items[end]._replace(flags=items[end].flags | START)
                index = end
                continue
        result.append(item)
        index += 1
    return result


def longest(items: list[Item], index: int, node: Trie, size: int) -> tuple[int, tuple[str, ...], list[Item]]:
    """The end of the longest phrase below a node, its replacement, and what its gap took; end 0 if there is none."""
    best: tuple[int, tuple[str, ...], list[Item]] = (0, (), [])
    if _END in node:
        best = (index, node[_END], [])
    while index < size:
        gap = node.get(GAP)
        if gap is not None:
            for length in range(1, 5):
                if (
                    index + length > size
                    or items[index + length - 1].word in _STOPS
                    or items[index + length - 1].word == ","
                ):
                    break
                end, replacement, _ = longest(items, index + length, gap, size)
                if end:
                    if end >= best[0]:  # of two as long, the one with more words of its own
                        best = (end, replacement, items[index : index + length])
                    break
        following = node.get(items[index].word)
        if following is None:
            break
        node = following
        index += 1
        if _END in node and index >= best[0]:
            best = (index, node[_END], [])
    return best
