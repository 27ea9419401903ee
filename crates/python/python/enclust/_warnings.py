"""The category of warnings about data and results."""


class ConsensusWarning(UserWarning):
    """Something may be wrong with the base clusterings or with the consensus."""
