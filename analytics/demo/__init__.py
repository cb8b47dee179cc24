"""The demo: a year of flights from New York, replayed faster than life, and first queries on them."""
