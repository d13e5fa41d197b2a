"""The queue of jobs: its table, whose turn it is, and the workers that claim from it."""

from s2s.files.database import UnreachableError, alone, begin
from s2s.processes.queue.counts import QueueCounts, counts, live_by_slot
from s2s.processes.queue.erasure import erase, is_erased, last_deletion
from s2s.processes.queue.job_logs import keep_lines, keep_log, last_log, newest_logs
from s2s.processes.queue.server_state import (
    ServerState,
    put_value,
    server_state,
    set_notice,
    set_paused,
    take_lease,
    value,
)
from s2s.processes.queue.table import (
    AT_ONCE,
    LOST,
    ControlRequests,
    Job,
    LeaseLost,
    abandon,
    ask_to_stop,
    claim,
    delete_jobs,
    find,
    finish,
    give,
    hand_back,
    is_anything_left,
    jobs,
    latest,
    live_jobs,
    note_dead_worker,
    poll_requests,
    progressed,
    rename,
    renew,
    request_control,
    set_note,
    submit,
)
from s2s.processes.queue.time_used import minutes_of_a_day
from s2s.processes.queue.turns import positions
from s2s.processes.queue.waits import SECONDS, Wait, backlog, wait
from s2s.processes.queue.workers import (
    REPORT,
    SeenWorker,
    hold_database,
    report,
    seen_workers,
    sign_off,
    why_not_here,
)
