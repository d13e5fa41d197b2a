"""The screens: the only part of s2s that knows Streamlit."""

import logging

# What Streamlit says where its cache is used before the server has started, as warming up does: nothing is wrong then.
# By the logger that says it.
BEFORE_THE_SERVER = {
    "streamlit.runtime.caching.cache_data_api": "No runtime found",
    "streamlit.runtime.scriptrunner_utils.script_run_context": "Thread 'MainThread': missing ScriptRunContext",
}


def is_news(record: logging.LogRecord) -> bool:
    """Whether a line of these loggers says anything else."""
    return BEFORE_THE_SERVER.get(record.name, "\n") not in record.getMessage()


for _name in BEFORE_THE_SERVER:
    logging.getLogger(_name).addFilter(is_news)
