"""A view and its link: all of it written out (`share`), or ten letters kept in the database (`short`)."""

__all__ = ["share", "short"]
