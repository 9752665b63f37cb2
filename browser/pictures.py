"""The pictures of docs/report.md: browser/.venv/bin/python browser/pictures.py REPORT FOLDER."""

import sys
from pathlib import Path

from conftest import CHROMIUM, FLAGS, Opened
from playwright.sync_api import sync_playwright

# name of the picture: where it begins, how high it is
PICTURES = {
    "answer": ("header", 900),
    "held-out": ("#held-out", 1150),
    "path": ("#path", 900),
}


def main(report, folder):
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        opened = Opened(browser, report.resolve(), 1000)
        opened.read_through()
        for name, (start, height) in PICTURES.items():
            top = opened.page.locator(start).first.bounding_box()["y"]
            clip = {"x": 0, "y": top, "width": 1000, "height": height}
            opened.page.screenshot(path=folder / f"{name}.png", full_page=True, clip=clip)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
