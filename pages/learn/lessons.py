"""Lessons: short lessons beside the real pages, with questions that are checked."""

from s2s.ui.lessons import segments

segments.show()
