"""The servers a single machine needs, started from their wheels."""
