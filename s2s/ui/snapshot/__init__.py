"""A page as it is drawn, as one HTML file that needs no server."""

from s2s.ui.snapshot.button import snapshot_button
from s2s.ui.snapshot.record import begin_record, forget_record, unrecorded
