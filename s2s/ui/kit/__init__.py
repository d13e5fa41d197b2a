"""What pages are made of: controls, forms, pickers, charts, cards, cached reads, view state."""
