"""Processes that each do one piece of work at a time."""

import multiprocessing
import os
import signal
from dataclasses import dataclass
from multiprocessing.connection import wait

from .failure import in_one_line

# What keeps the numerical libraries of a process on one thread.
THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Outcome:
    """What came of a piece of work: a result, or why there is none."""

    result: object = None
    failure: str | None = None
    # Whether it was ended because its time was over.
    timed_out: bool = False


def limit(seconds):
    """Ends this process, as one that timed out, after so much processor time; 0 takes it back.

    By the processor's time and not by the clock, which counts what else the machine does; and by a
    signal that nothing handles, for packages compute where Python handles none.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)


class Worker:
    """A process, and the work that it has."""

    def __init__(self, function):
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, function), daemon=True)
        self.process.start()
        # So that its death is an end of file here.
        theirs.close()
        self.work = None

    def start(self, work):
        self.work = work
        self.connection.send(work)

    def finish(self):
        """The outcome of its work, waiting for it; of a process that died, that it did."""
        try:
            return self.connection.recv()
        except EOFError:
            self.process.join()
            code = self.process.exitcode
            if code == -signal.SIGPROF:
                return Outcome(timed_out=True)
            why = f"signal {-code}" if code < 0 else f"exit status {code}"
            return Outcome(failure=f"its process ended by {why}; if memory ran out, lower --jobs")

    def stop(self):
        self.process.terminate()
        self.process.join()
        self.connection.close()


class Workers:
    """`count` processes that run `function`; they end with the block."""

    def __init__(self, function, count):
        self.function = function
        self.count = count
        self.workers = []

    def __enter__(self):
        # Inherited by the processes, before they load any library.
        os.environ.update(dict.fromkeys(THREAD_LIMITS, "1"))
        return self

    def __exit__(self, *_):
        for worker in self.workers:
            worker.stop()

    def run(self, works):
        """Pairs of work and outcome, as they come. Takes a work only when a process is free."""
        works = iter(works)
        busy = {}
        while True:
            while len(busy) < self.count and (work := next(works, None)) is not None:
                worker = self._free(busy)
                worker.start(work)
                busy[worker.connection] = worker
            if not busy:
                return
            for connection in wait(busy):
                worker = busy.pop(connection)
                yield worker.work, worker.finish()

    def _free(self, busy):
        """A process without work; a new one if there is none that lives."""
        for worker in self.workers:
            if worker.connection not in busy and worker.process.is_alive():
                return worker
        self.workers.append(Worker(self.function))
        return self.workers[-1]


def serve(connection, function):
    """The life of a process: outcomes for works, until there are no more."""
    # Ctrl-C reaches every process of a terminal. The first one ends the others; programs that they
    # started end by themselves, which they would not if it were ignored here.
    signal.signal(signal.SIGINT, lambda *_: None)
    while True:
        try:
            work = connection.recv()
        except EOFError:
            return
        try:
            outcome = Outcome(function(work))
        except Exception as error:
            outcome = Outcome(failure=in_one_line(error))
        connection.send(outcome)
