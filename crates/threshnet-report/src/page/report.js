// Draws the figures, and lets a reader walk along the solution path.
(() => {
  "use strict";
  const { figures, path } = JSON.parse(document.getElementById("data").textContent);
  const plots = [...document.querySelectorAll(".plot")];
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let printing = false;

  /** What every figure has in common, in the colours of the page. */
  function look(layout) {
    const css = getComputedStyle(document.body);
    const light = printing || !dark.matches;
    const text = light ? "#1b1b1b" : "#ececec";
    const line = light ? "#dcdcdc" : "#3b3f45";
    const axis = { gridcolor: line, linecolor: line, tickcolor: line, zerolinecolor: line };
    return {
      ...layout,
      xaxis: { ...layout.xaxis, ...axis },
      yaxis: { ...layout.yaxis, ...axis },
      font: { color: text, family: css.fontFamily, size: 12 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      margin: { l: 60, r: 12, t: 12, b: 48 },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
      hoverlabel: { namelength: -1 },
      shapes: layout.shapes || [],
    };
  }

  const settings = { responsive: true, displaylogo: false, displayModeBar: false };

  function draw(div) {
    if (div.dataset.drawn) return;
    div.dataset.drawn = "yes";
    const figure = figures[div.dataset.figure];
    Plotly.newPlot(div, figure.data, look(figure.layout), settings);
    if (div.dataset.figure === "path") {
      div.on("plotly_click", (event) => pin(path.traces[event.points[0].curveNumber]));
      div.on("plotly_hover", (event) => {
        div.dataset.hovered = path.traces[event.points[0].curveNumber];
      });
      mark();
    }
  }

  // A figure is drawn when it comes near the screen, so that many cost nothing at first.
  if ("IntersectionObserver" in window) {
    const near = new IntersectionObserver(
      (seen) => seen.filter((s) => s.isIntersecting).forEach((s) => draw(s.target)),
      { rootMargin: "600px" },
    );
    plots.forEach((div) => near.observe(div));
  } else {
    plots.forEach(draw);
  }

  function recolour() {
    for (const div of plots.filter((p) => p.dataset.drawn)) {
      const { shapes, ...rest } = look(figures[div.dataset.figure].layout);
      Plotly.relayout(div, rest);
    }
  }
  dark.addEventListener("change", recolour);
  addEventListener("beforeprint", () => {
    printing = true;
    plots.forEach(draw);
    recolour();
  });
  addEventListener("afterprint", () => {
    printing = false;
    recolour();
  });

  // The path.
  const slider = document.getElementById("lambda");
  if (!slider) return;
  const shown = 20;
  const at = document.getElementById("at");
  const body = document.getElementById("walked");
  const more = document.getElementById("walked-more");
  const status = document.getElementById("pinned");
  const graph = document.querySelector('[data-figure="path"]');
  // plotly.js changes the figures it is given.
  const widths = figures.path.data.map((trace) => trace.line.width);
  let pinned = null;

  const short = (value) => (value === 0 ? "0" : Number(value.toPrecision(3)).toString());

  /** A line where the slider is. */
  function mark() {
    if (!graph.dataset.drawn) return;
    const lambda = path.lambdas[slider.value];
    const line = { color: "#8a8a8a", width: 2, dash: "dot" };
    Plotly.relayout(graph, {
      shapes: [{ type: "line", x0: lambda, x1: lambda, yref: "paper", y0: 0, y1: 1, line }],
    });
  }

  function walk() {
    const k = Number(slider.value);
    const loss = path.losses[k];
    const size = path.sizes[k];
    const text =
      `λ = ${short(path.lambdas[k])}: ${size} ${size === 1 ? "column" : "columns"} in the model` +
      (loss === null ? "" : `, mean held-out ${path.loss} ${short(loss)}`) +
      (k === path.chosen ? ` – the ${path.mark}` : "");
    at.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    const here = path.columns
      .filter((column) => column.norms[k] > 0)
      .sort((a, b) => b.norms[k] - a.norms[k]);
    body.replaceChildren(
      ...here.slice(0, shown).map((column) => {
        const row = document.createElement("tr");
        const name = document.createElement("button");
        name.className = "name";
        name.type = "button";
        name.textContent = column.name;
        name.setAttribute("aria-pressed", String(column.name === pinned));
        name.addEventListener("click", () => pin(column.name));
        const head = document.createElement("th");
        head.scope = "row";
        head.append(name);
        const cells = [short(column.norms[k]), column.selected ? "yes" : "no"].map((value) => {
          const cell = document.createElement("td");
          cell.textContent = value;
          return cell;
        });
        row.append(head, ...cells);
        return row;
      }),
    );
    const left = size - Math.min(here.length, shown);
    more.textContent = left > 0 ? `… and ${left} more.` : "";
    mark();
  }

  /** Keeps a column in sight, or lets go of it. */
  function pin(name) {
    if (!path.columns.some((column) => column.name === name)) return;
    pinned = pinned === name ? null : name;
    status.textContent = pinned === null ? "" : `Kept in sight: ${pinned}. Choose it again to let go.`;
    draw(graph);
    const own = path.traces.map((trace) => pinned === null || trace === pinned);
    Plotly.restyle(graph, {
      opacity: own.map((is) => (is ? 1 : 0.15)),
      "line.width": path.traces.map((trace, k) => (trace === pinned ? 5 : widths[k])),
    });
    for (const button of body.querySelectorAll(".name")) {
      button.setAttribute("aria-pressed", String(button.textContent === pinned));
    }
  }

  slider.addEventListener("input", walk);
  walk();
})();
