"""What a reader does with a report, and what it should do then."""

import json
from pathlib import Path

import pytest
from conftest import EVIL, REPORTS

TASKS = ["regression", "binary", "survival"]
SHOTS = Path(__file__).parent / "screenshots"
FIGURES = {
    "regression": ["predicted-observed"],
    "binary": ["roc", "precision-recall", "calibration", "decision-1"],
    "survival": ["kaplan-meier", "time-auc", "observed-survival", "calibration", "decision-2"],
    "wide": [],
}


@pytest.mark.parametrize("name", REPORTS)
def test_every_figure_is_drawn_and_no_one_is_called(reports, opened, name):
    report = opened(reports[name])
    report.read_through()
    page = report.page
    for figure in ["path", "sizes", "validation", *FIGURES[name]]:
        assert page.locator(f'[data-figure="{figure}"] .main-svg').count() > 0, figure
    assert page.locator("h1").inner_text().startswith("What predicts")
    assert reports[name].stat().st_size < 6_000_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("name", TASKS)
def test_it_fits_the_screen_and_is_photographed(reports, opened, name, width, scheme):
    report = opened(reports[name], width, scheme)
    report.read_through()
    wide = report.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width, "it must not scroll sideways"
    SHOTS.mkdir(exist_ok=True)
    report.page.screenshot(path=SHOTS / f"{name}-{width}-{scheme}.png", full_page=True)


@pytest.mark.parametrize("name", ["regression", "survival"])
def test_hovering_names_a_column_and_a_click_keeps_it(reports, opened, name):
    page = opened(reports[name]).page
    graph = page.locator('[data-figure="path"]')
    graph.scroll_into_view_if_needed()
    page.wait_for_selector('[data-figure="path"] .main-svg')
    data = json.loads(page.locator("#data").inner_text())
    strongest = max(data["path"]["columns"], key=lambda column: column["norms"][0])["name"]
    # where this column's line begins, on the screen
    x, y = page.evaluate(
        """name => {
            const graph = document.querySelector('[data-figure="path"]');
            const path = JSON.parse(document.getElementById('data').textContent).path;
            const own = path.columns.find(column => column.name === name);
            const box = graph.getBoundingClientRect();
            const { xaxis, yaxis } = graph._fullLayout;
            const at = 1;
            return [
                box.left + xaxis._offset + xaxis.l2p(Math.log10(path.lambdas[at])),
                box.top + yaxis._offset + yaxis.l2p(own.norms[at]),
            ];
        }""",
        strongest,
    )
    page.mouse.move(x, y)
    page.wait_for_selector('[data-figure="path"] .hoverlayer .hovertext')
    assert strongest in page.locator('[data-figure="path"] .hoverlayer').text_content()
    page.mouse.click(x, y)
    status = page.locator("#pinned")
    assert strongest in status.inner_text()
    opacity = "graph => graph.data.map(trace => trace.opacity)"
    assert sorted(set(graph.evaluate(opacity))) == [0.15, 1]
    page.mouse.click(x, y)
    assert status.inner_text() == ""
    assert set(graph.evaluate(opacity)) == {1}


@pytest.mark.parametrize("name", TASKS)
def test_the_slider_walks_by_keyboard_and_the_table_follows(reports, opened, name):
    page = opened(reports[name]).page
    path = json.loads(page.locator("#data").inner_text())["path"]
    slider = page.locator("#lambda")
    slider.focus()
    assert int(slider.input_value()) == path["chosen"]
    # (fits of linear models choose one λ together)
    chosen = "the median λ of 4 fits" if name == "regression" else "the chosen λ"
    assert chosen in page.locator("#at").inner_text()
    page.keyboard.press("Home")
    for k in range(len(path["lambdas"])):
        said = page.locator("#at").inner_text()
        assert f"{path['sizes'][k]} column" in said
        assert slider.get_attribute("aria-valuetext") == said
        here = [c for c in path["columns"] if c["norms"][k] > 0]
        here.sort(key=lambda column: -column["norms"][k])
        names = page.locator("#walked .name").all_inner_texts()
        assert names == [column["name"] for column in here[:20]]
        page.keyboard.press("ArrowRight")
    assert int(slider.input_value()) == len(path["lambdas"]) - 1
    # a name in the table keeps its column in sight, by keyboard too
    page.keyboard.press("Home")
    name = page.locator("#walked .name").first
    name.focus()
    page.keyboard.press("Enter")
    assert name.get_attribute("aria-pressed") == "true"
    assert name.inner_text() in page.locator("#pinned").inner_text()


def test_names_are_text(reports, opened):
    report = opened(reports["regression"])
    report.read_through()
    page = report.page
    assert page.locator("img").count() == 0
    assert EVIL in page.locator("#columns").inner_text()
    titles = page.locator("#effects .xtitle").all_text_contents()
    assert EVIL[:28] + "…" in titles


@pytest.mark.parametrize("name", TASKS)
def test_it_can_be_heard(reports, opened, name):
    page = opened(reports[name]).page
    levels = page.locator("h1, h2, h3").evaluate_all("all => all.map(h => Number(h.tagName[1]))")
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))
    for plot in page.locator(".plot").all():
        assert plot.get_attribute("role") == "img" and plot.get_attribute("aria-label")
    assert page.locator("th:not([scope])").count() == 0
    assert page.locator("label[for=lambda]").count() == 1
    assert page.evaluate("document.documentElement.lang") == "en"
    # figures but for the path have their numbers in a table
    figures = page.locator("figure").count()
    assert page.locator("figure details table").count() == figures - 2


def test_it_prints_in_black_on_white_with_all_figures(reports, opened):
    report = opened(reports["survival"], scheme="dark")
    page = report.page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    drawn = "[...document.querySelectorAll('.plot')].every(p => p.querySelector('svg'))"
    page.wait_for_function(drawn)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").is_visible()
    colour = page.locator(".xtitle").first.evaluate("text => text.style.fill")
    assert colour == "rgb(27, 27, 27)"
    SHOTS.mkdir(exist_ok=True)
    page.pdf(path=SHOTS / "survival-print.pdf")


def test_without_scripts_the_tables_are_there(reports, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(reports["binary"].as_uri())
    assert page.locator("#columns tbody tr").count() > 0
    assert page.locator("noscript").count() == 1
    page.locator("summary").first.click()
    assert page.locator("figure details table").first.is_visible()
    context.close()
