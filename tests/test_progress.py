"""The default progress reports nothing, and has what every progress has."""

from crossdoc.progress import Progress, Quiet


def test_quiet_reports_nothing(capsys):
    quiet: Progress = Quiet()
    quiet.start("reading", 3)
    quiet.advance(2)
    quiet.note("something")
    assert capsys.readouterr() == ("", "")
