"""A copy of a run that its owner lets others copy: a run of whoever makes it.

The copy says what a guest may know of the run, and nothing else; so only a run of which nothing is hidden is copied.
"""

from __future__ import annotations

import tempfile

from s2s import settings
from s2s.config import DeniedError, UserError, asker, shortened
from s2s.files import UnwrittenError
from s2s.jobs import run_archives, run_service
from s2s.library import Library, guests, rights, sharing
from s2s.runs import archive


def why_private(run_id: str) -> str:
    """Why nobody else could copy a run, even if its owner allowed it; "" where nothing is hidden from guests."""
    folder = Library().run(run_id)
    about = folder.about()
    with asker.acting_as(asker.NOBODY):
        shown = guests.about_run(folder, about)
    if all((shown.get(key) or "") == (about[key] or "") for key in about):  # nothing is None or ""
        return ""
    return "It names what is private: its dataset, the run it was trained from, or a folder of the server."


def may_copy(run_id: str) -> bool:
    """Whether this request may copy a run of somebody else. Raises UserError where it may not see it."""
    run = sharing.run_in(Library().run(run_id))
    is_allowed = run.is_shared and sharing.sharing("run", run.id).copy
    is_guest = not rights.is_own(run)
    has_workspace = asker.current() != asker.NOBODY
    return is_allowed and is_guest and has_workspace and not why_private(run_id)


def copy(run_id: str) -> str:
    """Copies a run into the workspace of this request; returns the id of the copy.

    Raises UserError where that may not be, or is too much for the workspace.
    """
    owner = asker.current()
    folder = Library().run(run_id)
    if not may_copy(run_id):
        raise DeniedError(
            f"The run `{shortened(run_id)}` cannot be copied: its owner does not allow it any more; you can still look"
            " at it and try it."
        )
    if archive.size(folder) > run_archives.MAX_DOWNLOAD:
        raise UserError(
            f"This run has more than {run_archives.MAX_DOWNLOAD / 1e6:,.0f} MB, the most that is copied at once; open"
            " it here, or ask its owner for a file."
        )
    try:
        with run_archives.ONE_AT_A_TIME, tempfile.TemporaryFile(dir=settings.home()) as file:
            archive.write(folder, file)
            file.seek(0)
            names = [row.name for row in run_service.runs(owner)]
            private = ("tags", "comment")
            return run_archives.unpack(file, "the copy", owner, names, without=private)
    except OSError as error:
        raise UnwrittenError(
            f"The run cannot be copied ({error.strerror or error}); free some space, or try again later."
        ) from error
