"""Thin views, one module per subject: read, ask a service, render."""
