"""The command line of the papers."""

from pathlib import Path

import pytest
from papers.__main__ import run

from tests.ui.cli.calls import Answer, Call


class PapersCall(Call):
    """Calls `python -m papers` inside this process."""

    def __call__(self, *arguments: str | Path) -> Answer:
        """Run the command and return what it printed."""
        self.captured.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = self.captured.readouterr()
        return Answer(code, out, err.replace("papers: error: ", "pavane: error: "))


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call the command from an empty directory."""
    monkeypatch.chdir(tmp_path)
    return PapersCall(capsys)
