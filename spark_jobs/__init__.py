"""The engine: Spark streaming jobs and their kernels. Knows nothing of the web."""
