"""Evaluations: a test set, translated by several systems and scored."""
