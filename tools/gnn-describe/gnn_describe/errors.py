"""What `describe` raises where a model cannot be described."""


class DescribeError(ValueError):
    """One sentence: what cannot be described, where, and what would be right."""
