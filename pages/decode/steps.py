"""Why each word: one sentence, its search tree, next tokens, a reference, and samples."""

from s2s.ui.steps import ask, show

asked = ask()
if asked:
    show(asked)
