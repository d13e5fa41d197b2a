"""The workspaces of a hosted server: who a visitor is, and what a workspace has. Knows nothing of screens."""

from s2s.workspaces.accounts import account_of, merge, workspace_of_account
from s2s.workspaces.deletion import delete_workspace
from s2s.workspaces.expiry import Expiring, delete_expired, expiring, expiring_soon
from s2s.workspaces.exports import write_export
from s2s.workspaces.keys import COOKIE, Key, browser_of, is_framed, key_of, new_key, read_key
from s2s.workspaces.routes import ROUTES
from s2s.workspaces.rows import LINK_DAYS, keep, make_link, open_link, workspace_of
from s2s.workspaces.visits import REPLACED, Visits, cookies, header, is_secure
