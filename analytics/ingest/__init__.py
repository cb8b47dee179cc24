"""Taking in what producers send: read, check and append, each request wholly or not at all."""
