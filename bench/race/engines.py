"""Runs the engines on a cell, and keeps what came of it under bench/.work."""

import hashlib
import json
import re
import subprocess
import tempfile
import time
from functools import cached_property
from pathlib import Path

from race.cells import NAMES, VARIANTS
from race.environment import BENCH, PYTHON, REQUIREMENTS, output, say

WORK = BENCH / ".work"
PEERS = BENCH / "peers"


class Engines:
    """All engines, with the options of the race."""

    def __init__(self, binary, options):
        self.binary = binary
        self.options = options
        self.done = 0

    @cached_property
    def build(self):
        return hashlib.sha256(self.binary.read_bytes()).hexdigest()

    def race(self, cell, total):
        """Every engine on one cell, ours first: their reports, by engine."""
        with Arrays(self.binary, cell, self.options.seed) as arrays:
            reports = {}
            for engine in (*self.options.variants, *self.options.peers):
                self.done += 1
                progress = f"[{self.done}/{total}] {cell}: {NAMES[engine]}"
                reports[engine] = self.kept(cell, engine, progress, arrays)
                if engine == "exact":
                    arrays.task = reports[engine]
        return reports

    def kept(self, cell, engine, progress, arrays):
        """One engine's report on a cell: from the last run if resuming, or a new one."""
        key = self.key(cell, engine)
        digest = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:12]
        slug = f"{cell.kind}-{cell.n}x{cell.d}-{cell.design}-{engine}-{digest}"
        path = WORK / f"{slug}.json"
        if self.options.resume and path.exists():
            say(f"{progress}: kept")
            return json.loads(path.read_text())
        say(f"{progress} … ({self.patience(engine)})")
        start = time.perf_counter()
        run = self.ours if engine in VARIANTS else self.peer
        report = run(cell, engine, arrays)
        WORK.mkdir(exist_ok=True)
        path.write_text(json.dumps(report))
        outcome = report.get("failed", "done")
        say(f"{progress}: {outcome} ({time.perf_counter() - start:.0f} s in all)")
        return report

    def key(self, cell, engine):
        """All that a report depends on, but chance and the machine."""
        options = self.options
        common = [str(cell), engine, options.seed, options.lambdas, options.ridge, options.ridges]
        if engine in VARIANTS:
            return [*common, self.repeats(cell), self.build]
        sources = [REQUIREMENTS, PEERS / "common.py", PEERS / f"{engine}_race.py"]
        texts = [path.read_text() for path in sources]
        return [*common, options.peer_repeats, options.peer_seconds, *texts]

    def repeats(self, cell):
        """Our starts: fewer where each takes long."""
        few = min(5, self.options.repeats)
        return few if cell.n * cell.d >= 2_000_000 else self.options.repeats

    @property
    def timeout(self):
        """When a peer is killed: well after it should have ended by itself."""
        # Calibrating, scoring and the step it is at come on top of the budget.
        return self.options.peer_repeats * (3 * self.options.peer_seconds + 120)

    def patience(self, engine):
        if engine in VARIANTS:
            return "seconds"
        budget = self.options.peer_repeats * self.options.peer_seconds
        return f"about {budget:.0f} s at most, killed after {self.timeout:.0f}"

    def ours(self, cell, variant, arrays):
        options = self.options
        command = ["path", arrays.folder, variant, options.ridge]
        if cell.kind == "tuned":
            command = ["fit", arrays.folder, variant, options.ridges]
        return json.loads(output(self.binary, *command, options.lambdas, self.repeats(cell)))

    def peer(self, cell, engine, arrays):
        """A peer's report; one that fails is reported, and the race goes on."""
        runner = PEERS / f"{engine}_race.py"
        options = self.options
        command = [PYTHON, runner, cell.kind, arrays.folder, arrays.spec]
        command += [options.peer_seconds, options.peer_repeats]
        try:
            return json.loads(output(*command, timeout=self.timeout, stderr=subprocess.PIPE))
        except subprocess.TimeoutExpired:
            return {"failed": f"killed after {self.timeout:.0f} s"}
        except subprocess.CalledProcessError as error:
            last = (error.stderr.strip().splitlines() or ["no message"])[-1]
            # No path of this machine belongs in a record.
            return {"failed": "crashed: " + re.sub(r"\S*/\S*", "…", last)[:200]}


class Arrays:
    """The cell's arrays on disk, simulated when first asked for."""

    def __init__(self, binary, cell, seed):
        self.command = [binary, "simulate", cell.design, cell.n, cell.d, seed]
        self.task = None

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    @cached_property
    def folder(self):
        output(*self.command, self.temporary.name)
        return Path(self.temporary.name)

    @cached_property
    def spec(self):
        """The exact variant's report: the peers take λs, ridges, epochs and splits from it."""
        path = self.folder / "spec.json"
        path.write_text(json.dumps(self.task))
        return path
