"""The error that people see."""


class Failure(Exception):
    """What went wrong and how to mend it, in one line."""


def in_one_line(error):
    """Any error as one line: packages raise messages of several."""
    text = " ".join(str(error).split())
    return text if isinstance(error, Failure) else f"{type(error).__name__}: {text}"
