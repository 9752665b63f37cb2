"""The figures of the studies, drawn from results.csv. Entry: studies/draw.py."""
