"""The workspaces of a hosted server: who a visitor is. Knows nothing of screens."""

from s2s.workspaces.keys import COOKIE, Key, key_of, new_key, read_key
from s2s.workspaces.visits import REPLACED, Visits
