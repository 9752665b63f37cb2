"""Time and memory that hostile files cost: python3 bench/hostile.py BINARY [BINARY…]."""

import gzip
import resource
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# No run is waited for longer, in seconds, or given more memory, in bytes.
LONGEST = 20
MEMORY = 8_000_000_000


def npy(header):
    text = header.encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(64)


def zeros(megabytes):
    return gzip.compress(bytes(1 << 20) * megabytes)


def shape(of):
    return npy(f"{{'descr': '<f8', 'fortran_order': False, 'shape': {of}, }}\n")


FILES = {
    "quotes in a cell": ("quotes.csv", b"a,y\n1,2\na" + b'"' * 80_000 + b",3\n4,5\n"),
    "quotes in the header": ("header.csv", b"a" + b'"' * 80_000 + b",y\n1,2\n4,5\n"),
    "1 GB of zeros, gzipped": ("zeros.csv.gz", lambda: zeros(1000)),
    "14 nested braces": ("braces.npy", npy("{" * 14)),
    "30 nested lists": ("lists.npy", npy("{'descr': " + "[" * 30)),
    "shape (2**62, 0)": ("rows.npy", shape("(4611686018427387904, 0)")),
    "shape (0, 10**12)": ("columns.npy", shape("(0, 1000000000000)")),
}


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def measured(binary, path):
    """Seconds, peak of memory in MB and how it ended."""
    start = time.perf_counter()
    process = subprocess.Popen(
        ["/usr/bin/time", "-f", "%M", binary, "inspect", path],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=limit,
        text=True,
    )
    try:
        said = process.communicate(timeout=LONGEST)[1]
        ended = process.returncode
    except subprocess.TimeoutExpired:
        subprocess.run(["pkill", "-P", str(process.pid)], check=False)
        process.wait()
        return f"over {LONGEST}", "", "stopped"
    took, peak = time.perf_counter() - start, int(said.split()[-1]) / 1000
    how = {0: "read", 1: "refused"}.get(ended, "aborted")
    return f"{took:.2f}", f"{peak:.0f}", how


def main(binaries):
    print("| file | " + " | ".join("seconds | MB | it is" for _ in binaries) + " |")
    print("| --- |" + " --- | --- | --- |" * len(binaries))
    with tempfile.TemporaryDirectory() as folder:
        for what, (name, content) in FILES.items():
            path = Path(folder) / name
            path.write_bytes(content() if callable(content) else content)
            cells = [cell for binary in binaries for cell in measured(binary, path)]
            print(f"| {what} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
