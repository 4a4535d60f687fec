"""Evidence is about one model file: `check`, and the proxy at its start, look at the one in use."""

import pytest

from proxy.__main__ import main

OTHER_FILE = "0" * 64


@pytest.mark.parametrize(("strict", "status"), [("false", 0), ("true", 1)])
def test_evidence_for_another_model_file_is_a_warning_or_refused(strict, status, monkeypatch, capsys):
    monkeypatch.setenv("ASKONCE_EMBEDDER__SHA256", OTHER_FILE)
    monkeypatch.setenv("ASKONCE_STRICT_EVIDENCE", strict)
    assert main(["check"]) == status
    captured = capsys.readouterr()
    assert "in use is 0000000000000000: calibrate again" in captured.out + captured.err


def test_the_packaged_file_is_the_one_the_shipped_evidence_is_about(capsys):
    assert main(["check"]) == 0
    captured = capsys.readouterr()
    assert "calibrate again" not in captured.out + captured.err


def test_the_proxy_does_not_start_on_evidence_for_another_file_where_that_is_strict(monkeypatch, capsys):
    monkeypatch.setenv("ASKONCE_EMBEDDER__SHA256", OTHER_FILE)
    monkeypatch.setenv("ASKONCE_STRICT_EVIDENCE", "true")
    assert main(["--port", "0"]) == 2
    assert "calibrate again" in capsys.readouterr().err
