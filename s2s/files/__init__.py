"""What is stored: values as JSON, files and folders written whole, archives, and the database.

Only the database needs a library.
"""

from s2s.files.as_json import as_text, from_json, to_json
from s2s.files.atomic import (
    TRASH,
    UNDO_SECONDS,
    UNREADABLE,
    UnwrittenError,
    append_line,
    csv_cell,
    csv_writer,
    new_folder,
    read_lines,
    remove_older,
    remove_temporaries,
    require_free,
    size,
    write_bytes,
    write_json,
    write_text,
)

__all__ = [
    "TRASH",
    "UNDO_SECONDS",
    "UNREADABLE",
    "UnwrittenError",
    "append_line",
    "archives",
    "as_text",
    "csv_cell",
    "csv_writer",
    "database",
    "from_json",
    "new_folder",
    "read_lines",
    "remove_older",
    "remove_temporaries",
    "require_free",
    "size",
    "stored",
    "to_json",
    "write_bytes",
    "write_json",
    "write_text",
]
