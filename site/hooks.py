"""What MkDocs does not do by itself: pages from outside docs/, links to files, formulas.

Pages are written to be read in the repository, too, so they link to records and code where these
are. Records and tables of studies become pages of the site; a link to another file becomes its
text, if the file is there.
"""

import logging
import posixpath
import re
from html import unescape
from pathlib import Path

from latex2mathml.converter import convert
from mkdocs.structure.files import File

LOG = logging.getLogger("mkdocs.hooks.threshnet")
ROOT = Path(__file__).resolve().parent.parent
# Folders of the repository whose pages the site has, too.
OUTSIDE = ("bench/records", "studies/results")
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(((?!#|[a-z]+:)[^)\s#]+)(#[^)\s]*)?\)")
FORMULA = re.compile(r"<(span|div) class=\"arithmatex\">\\[(\[](.*?)\\[)\]]</\1>", re.DOTALL)


def at_site(path):
    """Where a page of the repository is on the site, from its top; None if it is not there."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.endswith(".md") and path.startswith(OUTSIDE):
        return f"records/{path}"
    return None


def in_repository(page):
    """Where a page of the site is in the repository."""
    return page.removeprefix("records/") if page.startswith("records/") else f"docs/{page}"


def on_files(files, config):
    """The pages from outside docs/."""
    for folder in OUTSIDE:
        for path in sorted((ROOT / folder).rglob("*.md")):
            name = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, at_site(name), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown, page, **_):
    """Links that lead out of docs/."""
    source = in_repository(page.file.src_uri)
    here = posixpath.dirname(page.file.src_uri)

    def rewritten(found):
        text, target, anchor = found[1], found[2], found[3] or ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if path.startswith("docs/") and source.startswith("docs/"):
            return found[0]
        if not (ROOT / path).exists():
            LOG.warning("%s: there is no %s", source, path)
            return found[0]
        there = at_site(path)
        if there is None or (ROOT / path).is_dir():
            return text if path.split("/")[-1] in text else f"{text} (`{path}`)"
        return f"[{text}]({posixpath.relpath(there, here or '.')}{anchor})"

    return LINK.sub(rewritten, markdown)


def on_page_content(html, **_):
    """Formulas become MathML, which browsers show without a script."""

    def shown(found):
        display = "block" if found[1] == "div" else "inline"
        return convert(unescape(found[2]).strip(), display=display)

    return FORMULA.sub(shown, html)
