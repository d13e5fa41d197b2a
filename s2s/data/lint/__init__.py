"""Quality issues of a corpus: `lint_pairs` reports them, `clean` removes the pairs.

Knows nothing of files and tokenizers.
"""

from s2s.data.lint.cleaning import clean, enabled_rules
from s2s.data.lint.repair import repaired
from s2s.data.lint.report import LintReport, flagged, lint_pairs
from s2s.data.lint.rules import LINT_RULES
from s2s.data.lint.texts import script_of
