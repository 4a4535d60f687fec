import math

import pytest

from config.document import ConfigError, read_document


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("off", "off"),
        ("on", "on"),
        ("yes", "yes"),
        ("true", True),
        ("False", False),
        ("010", 10),
        ("0x10", 16),
        ("1e3", 1000.0),
        ("-.5", -0.5),
        (".inf", math.inf),
        ("12:30", "12:30"),
        ("2026-01-31", "2026-01-31"),
        ("~", None),
        ("", None),
        ("'5'", "5"),
        ("[1, a]", [1, "a"]),
    ],
)
def test_scalars_are_what_they_look_like(written, meant):
    assert read_document(f"key: {written}\n", "file.yaml").data == {"key": meant}


def test_an_empty_file_says_nothing():
    assert read_document("# nothing\n", "file.yaml").data == {}


def test_every_key_and_item_has_its_line():
    document = read_document("a: 1\nb:\n  - x\n  - c: 2\n", "file.yaml")
    assert document.place(("b", 1, "c")) == "file.yaml:4"


def test_what_is_missing_is_placed_at_what_is_around_it():
    document = read_document("a: 1\nb:\n  - x\n  - c: 2\n", "file.yaml")
    assert document.place(("b", 1, "missing", "deeper")) == "file.yaml:4"
    assert document.place(("elsewhere",)) == "file.yaml:1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\na: 2\n", "file.yaml:2: `a` is given twice (first on line 1)"),
        ("a: b: c\n", "file.yaml:1: not valid YAML: mapping values are not allowed here"),
        ("- a\n", "file.yaml:1: the file must hold keys and values, `key: value`"),
        ("\n? [a]\n: 1\n", "file.yaml:2: a key must be a word"),
        ("a: &x [*x]\n", "file.yaml:1: this alias contains itself"),
        ("a: " + "[" * 5000, "file.yaml:1: nested too deeply to be read"),
        ("a: \x00\n", "file.yaml:1: not valid YAML: "),
    ],
)
def test_what_can_not_be_read_is_said_with_its_line(text, said):
    with pytest.raises(ConfigError) as caught:
        read_document(text, "file.yaml")
    assert str(caught.value).startswith(said)
