"""What visitors share: runs, datasets, forecasts and results of models on sentences, each read or computed once.

Values are shared between sessions, not copied: nobody may write to them.
"""

from s2s.ui.kit.cached.asking import SCREEN, ScreenHave, named
from s2s.ui.kit.cached.background import (
    PendingError,
    awaited,
    begin_run,
    computed,
    forget_searches,
    here_or_beside,
    release_unasked,
)
from s2s.ui.kit.cached.dataset_previews import dataset_name, datasets, preview
from s2s.ui.kit.cached.forecasts import (
    default_minutes,
    forecast,
    planned,
    planned_forecast,
    preset_sizes,
    recommended_preset,
    suggested_preset,
)
from s2s.ui.kit.cached.server import queue_wait, refresh_server_state, server_state
from s2s.ui.kit.cached.shared import by_sentence, forget_sentences, shared
from s2s.ui.kit.cached.stored_runs import (
    DEMO_FOLDER,
    choose_languages,
    follow_link,
    forget_workspace,
    is_own,
    is_untrained,
    label,
    labels,
    metadata,
    model_name,
    open_as_saved,
    open_run,
    own_runs,
    parameter_count,
    recipe,
    refresh_runs,
    run_notes,
    runs,
    step_name,
    title,
    titles,
    trained_runs,
)
from s2s.ui.kit.cached.training import curves
