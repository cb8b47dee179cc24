"""What the pages show of each kind of query; one package per kind."""
