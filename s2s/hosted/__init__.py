"""The workspaces of a hosted server: who a visitor is, and what a workspace has. Knows nothing of screens."""

from s2s.hosted.accounts import account_of, merge, workspace_of_account
from s2s.hosted.deletion import delete_workspace
from s2s.hosted.expiry import Expiring, delete_expired, expiring, expiring_soon
from s2s.hosted.exports import write_export
from s2s.hosted.keys import COOKIE, Key, browser_of, is_framed, key_of, new_key
from s2s.hosted.routes import ROUTES
from s2s.hosted.rows import LINK_DAYS, keep, make_link, open_link, workspace_of
from s2s.hosted.visits import REPLACED, Visits, cookies, header, is_secure

__all__ = ["monitoring", "operation"]
