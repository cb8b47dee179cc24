"""The algorithms: arrays in, arrays out. NumPy, Numba and Arrow only; nothing here knows Spark or a log."""
