"""What is shown here, as one HTML file for other people: it loads nothing and runs no script but ours."""

from s2s.reports import charts, differences, document, library, pictures
from s2s.reports.lesson_handout import lesson_handout
from s2s.reports.run_report import download, run_report, write_report
from s2s.reports.text_tables import TableColumn, compared_rows, html_table, token_rows
