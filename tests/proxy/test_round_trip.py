"""The quick looks at a body never miss what the slow ones would find."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from proxy.round_trip import NESTING_DUMPED, holds_long_number, round_trips

LONG = re.compile(rb"[0-9]{19}")


@given(st.lists(st.sampled_from([b"a", b"-", b"7", b"0123456789", b"999999"]), max_size=12).map(b"".join))
@example(b"1" * 18)
@example(b"1" * 19)
def test_a_long_run_of_digits_is_seen_and_a_short_one_is_none(body):
    assert holds_long_number(body) == (LONG.search(body) is not None)


@pytest.mark.parametrize("before", range(20))
def test_a_long_run_of_digits_is_seen_wherever_it_begins(before):
    assert holds_long_number(b" " * before + b"1234567890123456789" + b" ")
    assert not round_trips(b" " * before + b"[18446744073709551616]", [2.0**64])


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
def test_what_is_nested_too_deeply_is_seen_whatever_it_is_nested_in(opening):
    value: object = 1
    for byte in reversed(opening * NESTING_DUMPED):
        value = [value] if byte == ord("[") else {"a": value} if byte == ord("{") else value
    assert round_trips(opening * NESTING_DUMPED, value) == (len(opening) < 6)
    assert not round_trips(opening * (NESTING_DUMPED + 1), [value])


def test_brackets_side_by_side_are_not_depth():
    flat: list[object] = [[], {}] * NESTING_DUMPED
    assert round_trips(b"[" + b",".join([b"[],{}"] * NESTING_DUMPED) + b"]", flat)
