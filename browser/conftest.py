"""Reports as a person opens them: in Chromium, without a network."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
BINARY = Path(os.environ.get("THRESHNET_BINARY", ROOT / "target/release/threshnet"))
CHROMIUM = os.environ.get("THRESHNET_CHROMIUM") or shutil.which("chromium")
# Milliseconds that a page may take on a machine with other work.
PATIENCE = 180_000
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
EVIL = "<img src=x onerror=alert(1)> \"x3\" & 'co'"
QUICK = "--ridges 0.003,0.01 --lambdas 0.02:0.4:12 --epochs 100 --first-epochs 500 --quiet"

# design, size, how it is fitted
REPORTS = {
    "regression": ("regression", (200, 10), f"--target y --validation draws:4 {QUICK}"),
    "binary": ("classification", (200, 10), f"--target y --validation cv:4 {QUICK}"),
    "survival": ("survival", (200, 10), f"--time time --event event --validation draws:4 {QUICK}"),
    "wide": ("regression", (60, 10_000), f"--target y --validation holdout:0.2 {QUICK}"),
}


def run(arguments, folder):
    """Runs the binary and gives what it printed."""
    done = subprocess.run([BINARY, *arguments], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode()


def missing(what):
    """The tests are skipped, and fail where CI is set, for there nobody reads what was skipped."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(what)


@pytest.fixture(scope="session")
def reports(browser, tmp_path_factory):
    """The report of every task, of a column with an evil name, and of a wide table."""
    if not BINARY.is_file():
        missing(f"no binary at {BINARY}: cargo build --release, or set THRESHNET_BINARY")
    pages = {}
    for name, (design, (rows, columns), flags) in REPORTS.items():
        folder = tmp_path_factory.mktemp(name)
        simulate = ["simulate", design, "-n", str(rows), "-d", str(columns), "--seed", "1"]
        header, rest = run(simulate, folder).split("\n", 1)
        quoted = '"' + EVIL.replace('"', '""') + '"'
        header = ",".join(quoted if word == "x3" else word for word in header.split(","))
        (folder / "data.csv").write_text(header + "\n" + rest)
        run(["fit", "data.csv", *flags.split(), "--out", "fit"], folder)
        pages[name] = folder / "fit" / "report.html"
    return pages


@pytest.fixture(scope="session")
def browser():
    if not CHROMIUM:
        missing("there is no chromium: install it, or say where it is by THRESHNET_CHROMIUM")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


class Opened:
    """A page, and all that went wrong on it."""

    def __init__(self, browser, path, width, scheme="light"):
        self.context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=scheme,
            # (a page that is still gliding is nowhere)
            reduced_motion="reduce",
            offline=True,
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.trouble = []
        self.page.on("console", lambda message: self.trouble.append(message.text))
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("dialog", lambda dialog: self.trouble.append(dialog.message))
        self.page.on("request", self.requested)
        self.page.goto(path.as_uri())

    def requested(self, request):
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.trouble.append(request.url)

    def read_through(self):
        """Goes from figure to figure and waits: one that is passed too fast is not drawn."""
        for plot in self.page.locator(".plot").all():
            plot.scroll_into_view_if_needed()
            plot.locator("svg").first.wait_for()
        self.page.evaluate("window.scrollTo(0, 0)")


@pytest.fixture
def opened(browser):
    """Opens pages, and looks after them."""
    pages = []

    def open_page(path, width=1200, scheme="light"):
        pages.append(Opened(browser, path, width, scheme))
        return pages[-1]

    yield open_page
    for page in pages:
        assert page.trouble == []
        page.context.close()
