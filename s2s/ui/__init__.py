"""The screens' shared parts; the only part of s2s that knows Streamlit."""
