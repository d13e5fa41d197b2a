"""In the installed package this folder is the project's top: streamlit_app.py and pages/ (see pyproject.toml)."""
