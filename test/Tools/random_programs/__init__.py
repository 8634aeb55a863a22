"""Random programs of the gnn dialect, a module for each kind of step."""

from .program import Program  # noqa: F401
