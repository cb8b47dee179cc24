"""Measurements of the engine's parts, each beside what it is compared with, on the same data."""
