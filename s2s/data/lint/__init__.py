"""What is wrong with a corpus, and the corpus without it: `lint` reports, `clean` leaves out. Knows nothing of files and tokenizers."""

from s2s.data.lint.cleaning import clean, enabled_rules
from s2s.data.lint.report import Example, Found, LintReport, lint_pairs
from s2s.data.lint.rules import LINT_RULES, Rule

__all__ = ["LINT_RULES", "Example", "Found", "LintReport", "Rule", "clean", "lint", "switched_on"]
