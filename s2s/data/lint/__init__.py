"""What is wrong with a corpus, and the corpus without it: `lint` reports, `clean` leaves out. Knows nothing of files and tokenizers."""

from s2s.data.lint.cleaned import clean, switched_on
from s2s.data.lint.report import Example, Found, Report, lint
from s2s.data.lint.rules import RULES, Rule

__all__ = ["RULES", "Example", "Found", "Report", "Rule", "clean", "lint", "switched_on"]
