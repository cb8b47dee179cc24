"""Loaded by pytest before any plugin reads Django's settings (see addopts): brings the servers up."""

from tests import servers

servers.start()
