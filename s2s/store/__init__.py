"""What several machines share: run folders, datasets, evaluations and measurements, in an object store and a database.

`S2S_HOME` stays each machine's working copy. A change of files here is pushed (push.py), one elsewhere is pulled
(pull.py); the database says what there is (rows.py), and large files come when they are read (cache.py). Nothing of it
runs where `S2S_STORE` is unset.
"""

from s2s.store.process import following, warm, why_not_ready, working
