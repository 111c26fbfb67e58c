"""Detection in documents: what is to be removed, and what is left in an output; in caged children, or directly."""
