"""Searches that take too long for the dashboard's process, in processes of their own."""

from s2s.runs.decoder.cost import HEAVY, request_seconds, search_seconds
from s2s.runs.decoder.request import KINDS, PROPERTY, DecodeRequest
from s2s.runs.decoder.work import DECODER, ONE_THREAD, DecoderPool, DecodeTask, Timed, opened
