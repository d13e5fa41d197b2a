"""The glossary's plain sentences, for the help texts of widgets."""

from __future__ import annotations

from types import MappingProxyType

from s2s.words import GLOSSARY

PLAIN = MappingProxyType({row.term: row.plain for row in GLOSSARY})


def definitions(*terms: str) -> str:
    """A paragraph per term: `**layer**: One of ...`. Raises KeyError for a term that has no entry."""
    return "\n\n".join(f"**{term}**: {PLAIN[term]}" for term in terms)
