"""The screens: the only part of s2s that knows Streamlit."""

import logging

from s2s.ui.streamlit_parts import BEFORE_THE_SERVER


def is_news(record: logging.LogRecord) -> bool:
    """Whether a log record of Streamlit says anything but that its server does not run yet."""
    return BEFORE_THE_SERVER.get(record.name, "\n") not in record.getMessage()


for _name in BEFORE_THE_SERVER:
    logging.getLogger(_name).addFilter(is_news)
