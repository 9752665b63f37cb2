"""A bar while a fit runs, in terminals and notebooks."""

from contextlib import contextmanager

from tqdm.auto import tqdm


class Bar:
    """What the engine tells of a fit, as a bar."""

    def __init__(self):
        self._bar = None

    def begin(self, total):
        self._bar = tqdm(total=total, desc="fitting", unit="λ", leave=False, dynamic_ncols=True)

    def __call__(self, done):
        self._bar.update(done - self._bar.n)

    def end(self):
        if self._bar is not None:
            self._bar.close()


@contextmanager
def progress(verbose):
    """Something for the engine to tell of its progress; None if nobody wants to see it."""
    if not verbose:
        yield None
        return
    bar = Bar()
    try:
        yield bar
    finally:
        bar.end()


def counted(items, total, name, verbose):
    """The items as they come, with a bar that counts them."""
    return tqdm(items, total=total, desc=name, leave=False, disable=not verbose)
