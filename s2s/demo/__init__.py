"""Small trained runs that ship with the project, so that every page has something true to show before anyone trains."""

from types import MappingProxyType

# The first one opens first. Ids are for ever: links name them.
DEMOS = MappingProxyType(
    {"demo-en-fr": "builtin:en-fr", "demo-en-es": "builtin:en-es", "demo-tasks": "builtin:tasks"}
)
