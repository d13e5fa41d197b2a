"""What pages are made of: view state, pickers, forms, sentences, charts, captions and cached reads."""

from s2s.config import unique_names
from s2s.ui.kit import (
    address,
    cached,
    dataset_sentences,
    forms,
    in_view,
    lessons_run,
    pickers,
    polling,
    score_counts,
    sentence,
    target,
    vocabulary,
)
from s2s.ui.kit.action_button import action_button
from s2s.ui.kit.blocks import Card, cards, qr_code, undo_row
from s2s.ui.kit.charts import chart, clickable_chart
from s2s.ui.kit.find_one import FindOne, is_position
from s2s.ui.kit.forms import read_once
from s2s.ui.kit.map_part import with_part
from s2s.ui.kit.new_step import step_text
from s2s.ui.kit.pictures import (
    forget_shown,
    show,
    show_all,
    show_finding,
    show_table,
    shown,
)
from s2s.ui.kit.question_fields import question_fields
from s2s.ui.kit.sentence_row import SentenceRow, examples, sentence_row, settings_box
from s2s.ui.kit.state import ViewState, between, field, one_of
from s2s.ui.kit.switched_heads import as_link, switched_heads
from s2s.ui.kit.target import show_pair, target_owner
from s2s.ui.kit.text import (
    JOINER,
    as_markdown,
    file_name,
    note_markdown,
    plain,
    shortened,
    turn,
)
from s2s.ui.kit.trouble import run_trouble
from s2s.ui.kit.vocabulary import RunVocabulary
from s2s.words import duration, four_digits, nats
