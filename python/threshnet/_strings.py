"""Columns in which there is text, as the engine takes them: the distinct strings, and which of
them each row has. What they mean is up to the engine, which reads them as it reads files."""

from collections.abc import Callable
from numbers import Number
from typing import Any, NamedTuple

import numpy as np


class Table(NamedTuple):
    """Columns of several types, whoever's table it is."""

    maybe: list[int]  # the positions of columns whose type allows text
    cells: Callable[[int], list]
    subset: Callable[[list[int]], Any]

    def with_text(self):
        """The positions of the columns in which some cell is text."""
        return [j for j in self.maybe if any(isinstance(cell, str) for cell in self.cells(j))]


def table(X):
    """X by its columns if some of them may be text, else None."""
    known = by_columns(X)
    return known if known is not None and known.maybe else None


def by_columns(X):
    """X by its columns, if it is a table or an array of objects."""
    if hasattr(X, "iloc") and X.ndim == 2:  # pandas
        return Table(
            [j for j, dtype in enumerate(X.dtypes) if getattr(dtype, "kind", "O") in "OU"],
            lambda column: X.iloc[:, column].tolist(),
            lambda columns: X.iloc[:, columns],
        )
    if hasattr(X, "to_series") and hasattr(X, "dtypes"):  # polars
        texts = ("String", "Categorical", "Enum", "Object")
        return Table(
            [j for j, dtype in enumerate(X.dtypes) if str(dtype).startswith(texts)],
            lambda column: X.to_series(column).to_list(),
            lambda columns: X[:, columns],
        )
    if hasattr(X, "to_pylist") and hasattr(X, "schema"):  # pyarrow
        return Table(
            [j for j, field in enumerate(X.schema) if "string" in str(field.type)],
            lambda column: X.column(column).to_pylist(),
            lambda columns: X.select(columns),
        )
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "OU":
        return Table(
            list(range(X.shape[1])),
            lambda column: X[:, column].tolist(),
            lambda columns: X[:, columns],
        )
    return None


def strings(cells, name, gaps):
    """The distinct strings of a column, and the position of each row's among them; none of a cell
    that is missing, if there may be gaps."""
    levels, codes = {}, np.empty(len(cells), dtype=np.int64)
    for row, cell in enumerate(cells):
        try:
            text = spelled(cell)
        except TypeError as error:
            raise TypeError(f"column {name!r}, row {row}: {error}") from None
        if text is None and gaps:
            text = ""
        if text is None:
            raise ValueError(
                f"Input X contains a missing value in column {name!r}, row {row}: missing values "
                'are imputed with missing="impute", and their rows left out with missing="drop".'
            )
        codes[row] = levels.setdefault(text, len(levels))
    return {"levels": list(levels), "codes": codes}


def spelled(cell):
    """A cell as a file would have it, None if it is missing."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, (bool, np.bool_)):
        return str(int(cell))
    if isinstance(cell, Number) and not isinstance(cell, complex):
        return None if cell != cell else repr(float(cell))
    # (neither NaT nor pandas' NA is true to equal itself)
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return None
    kind = type(cell).__name__
    raise TypeError(f"argument must be a string or a number, not {kind!r}")
