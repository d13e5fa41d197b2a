"""Components with JavaScript of their own; knows nothing of models."""
