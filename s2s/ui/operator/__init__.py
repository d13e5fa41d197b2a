"""The operator's page: how the server is, and what the operator may do."""
