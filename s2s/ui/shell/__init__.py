"""What stands around every page: frame, navigation, share, theme."""
