"""Outside packages on the arrays of threshnet's studies; `run_peers.py` is the way in."""
