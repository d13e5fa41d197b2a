"""The Hugging Face Hub, read-only: check a dataset's name, list its files, read one of them in ranges under limits;
look up a model, and download it under limits.
"""

from s2s.hub.access import token, using
from s2s.hub.downloads import download
from s2s.hub.layout import File, Split, arrange, kind
from s2s.hub.models import Model, preflight_model
from s2s.hub.names import check, check_model, check_newest
from s2s.hub.preflight import Dataset, look_up, preflight
from s2s.hub.remote import Budget, open_file
