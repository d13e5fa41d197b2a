"""The file formats of datasets, a module each, and what they share."""
