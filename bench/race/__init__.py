"""The race's referee: what run.py is made of. The runners are in ../peers."""
