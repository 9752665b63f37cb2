"""Writes a figure as PNG, the same bytes for the same results."""

import io

from matplotlib import pyplot
from PIL import Image

DOTS_PER_INCH = 200
# No version within the file.
METADATA = {"Software": None}


def with_palette(png):
    """The same picture in 256 colours, which is all that lines need, in a third of the bytes."""
    buffer = io.BytesIO()
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    # Other methods take similar colours for one where a picture has many, such as in heat maps;
    # without rounds of k-means this one gives a pale band the hue of another.
    method = Image.Quantize.MAXCOVERAGE
    fewer = picture.quantize(256, method=method, kmeans=3, dither=Image.Dither.NONE)
    fewer.save(buffer, format="png", optimize=True)
    return buffer.getvalue()


def write(figure, folder, name):
    """Draws into memory first, so that a failure leaves no half-written file."""
    folder.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DOTS_PER_INCH, metadata=METADATA)
    pyplot.close(figure)
    path = folder / f"{name}.png"
    path.write_bytes(with_palette(buffer.getvalue()))
    return path
