"""Lessons: views with notes, and questions whose answers are computed from what is on the screen."""

from s2s.lessons import claims, lesson_file
from s2s.lessons.answer_key import KeyRow, answer_key, right_answer, taught_lesson
from s2s.lessons.answers import ANSWERS, CONDITIONS, RUN_CONDITIONS
from s2s.lessons.answers.decoding import decodings
from s2s.lessons.catalog import (
    OpenedStep,
    computed_answers,
    find_lesson,
    find_step,
    lesson_after,
    rebuilt_in,
)
from s2s.lessons.check import Given, answer, check, number
from s2s.lessons.class_results import QuestionResult, class_results
from s2s.lessons.classes import (
    LessonClass,
    Participant,
    close_class,
    delete_classes,
    delete_expired_classes,
    find_class,
    give_classes,
    is_participant,
    join_class,
    leave_class,
    note_answer,
    note_participant,
    open_class,
    own_classes,
    participants,
)
from s2s.lessons.lesson import MAX_NOTE, MAX_SUMMARY, MAX_TITLE, Lesson, Step, View
from s2s.lessons.own import (
    MINUTES,
    OwnLesson,
    add_lesson,
    add_step,
    change_lesson,
    delete_expired_lessons,
    delete_lesson,
    delete_lessons,
    find_own,
    give_lessons,
    is_empty,
    own_lessons,
    restore_lesson,
    share_lesson,
)
from s2s.lessons.progress import (
    LessonProgress,
    adopt_progress,
    all_progress,
    delete_expired_progress,
    delete_progress,
    give_progress,
    note_step,
)
from s2s.lessons.question import (
    MAX_PROMPT,
    MOST_OPTIONS,
    ChoiceQuestion,
    HeadQuestion,
    NumberQuestion,
    Question,
    RunQuestion,
    SentenceQuestion,
)
from s2s.lessons.shipped import EXERCISES, LESSONS
from s2s.lessons.verdict import Condition, Context, Heads, Verdict, saved_run
