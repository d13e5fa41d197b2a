"""Bytes to text, chunk by chunk, in an encoding detected from the bytes themselves. Knows nothing of files."""

from __future__ import annotations

import codecs
import encodings.cp1252
import re
import string
from collections.abc import Callable, Mapping
from types import MappingProxyType

from s2s.config import UserError, shortened, unusable
from s2s.data.formats import legacy

LATIN = "Latin-1 (Windows-1252)"
MARKS = (
    (codecs.BOM_UTF8, "UTF-8 with BOM"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16 (big-endian)"),
)
DETECTED = 1024  # bytes from which UTF-16 without a byte order mark is detected
FEW_NULS = 4  # fewer in a content may be damage
MIN_NUL = 0.9  # share of NUL in every other byte, in UTF-16 of a text in Latin letters
MAX_HIGH = 0.5  # share of non-ASCII letters in Latin-1, once there are MIN_HIGH of them
MIN_HIGH = 50
# Share of non-ASCII bytes in complete UTF-8 characters; real Latin-1 has almost none.
MAX_UTF8 = 0.2
UTF8_CHARACTER = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{3}"
)
SURROGATE = re.compile(
    rb"\xed[\xa0-\xbf][\x80-\xbf]"
)  # half of a UTF-16 character as UTF-8 would write it
MAX_CHANCE = 0.6  # the same in any encodings but Latin-1, where letters happen to look like UTF-8
ACCENTED = re.compile(
    rb"[\xc0-\xff]{4,}"
)  # letters that no language of Latin-1 has so many of in a row
MIN_RUNS = 3
JUDGED = 2000  # bytes that are not ASCII, after which Latin-1 is beyond doubt
ASCII = bytes(range(128))
LETTERS = string.ascii_letters.encode()
SAVE = "save it as UTF-8 and try again"

Decode = Callable[[bytes, str, bool], tuple[str, int]]  # data, errors, is_last -> text, bytes used


def _cp1252(data: bytes, errors: str, is_last: bool) -> tuple[str, int]:
    return codecs.charmap_decode(data, errors, encodings.cp1252.decoding_table)


DECODE: Mapping[str, Decode] = MappingProxyType(
    {
        "UTF-8": codecs.utf_8_decode,
        "UTF-8 with BOM": codecs.utf_8_decode,
        "UTF-16": codecs.utf_16_le_decode,
        "UTF-16 (big-endian)": codecs.utf_16_be_decode,
        LATIN: _cp1252,
    }
)


def not_utf8(error: UnicodeDecodeError, where: str) -> UserError:
    """What to say of a text that is not UTF-8; `where` begins its sentence: "Row 2 of `pairs.parquet`"."""
    if SURROGATE.match(error.object, error.start):
        half = error.object[error.start : error.start + 3]
        return unusable(half.decode(errors="surrogatepass"), where)
    return UserError(f"{where} is not UTF-8 ({error.reason}); write it again from texts that are.")


def _utf16(head: bytes) -> str:
    """The name of UTF-16 if that is the encoding, else "": NUL mostly in every other byte, and a readable text."""
    in_even, in_odd = head[::2].count(0), head[1::2].count(0)
    is_latin = head.count(0) >= MIN_NUL * (len(head) // 2)
    if in_even == in_odd:
        return ""
    is_damaged = head.count(0) < FEW_NULS or _is_readable(head.replace(b"\0", b""), "UTF-8")
    if is_damaged and not is_latin:
        return ""
    encoding = "UTF-16" if in_odd > in_even else "UTF-16 (big-endian)"
    return encoding if _is_readable(head, encoding) else ""


def _is_readable(head: bytes, encoding: str) -> bool:
    text, _ = DECODE[encoding](head, "replace", False)
    return "\ufffd" not in text and all(one.isprintable() or one.isspace() for one in text)


class Decoder:
    """Decodes the bytes of one content in order. `encoding` is UTF-8 until the bytes show another one.

    Bytes that are not UTF-8 are decoded as `wanted`, if given, else as Latin-1. If they look like another encoding,
    UserError names it, but a preview decodes them so and sets `likely`; likewise the one of two files that cannot be
    `wanted`. Raises UserError, naming the content, for binary content and for mixed or unknown encodings, too.
    """

    def __init__(
        self, name: str, wanted: str = "", *, is_preview: bool = False, is_one_of_two: bool = False
    ) -> None:
        self.name = name
        self.wanted = wanted
        self.is_preview = is_preview
        self.is_one_of_two = is_one_of_two
        self.likely: legacy.Likely | None = None
        self._other: codecs.IncrementalDecoder | None = None  # of the wanted or the likely encoding
        self.encoding = "UTF-8"
        self.why = ""  # it is not UTF-8: the first such byte, and its position
        self._rest = b""
        self._offset = 0  # of the first byte of the rest
        self._line = 1  # of the same byte
        self._is_detected = False
        self._has_utf8 = False  # whether a multi-byte character was decoded
        # Counts of non-ASCII bytes, of ASCII letters, and of bytes in complete UTF-8 characters.
        self._high = 0
        self._letters = 0
        self._in_utf8 = 0

    def decode(self, chunk: bytes, *, is_last: bool) -> str:
        """The text of the bytes so far that was not returned yet; an incomplete character waits for the next chunk."""
        data = self._rest + chunk
        if not self._is_detected:
            if len(data) < DETECTED and not is_last:
                self._rest = data
                return ""
            data = self._detect(data)
        text, used = self._decoded(data, is_last)
        if "\0" in text:
            raise self._binary(
                text.index("\0") * 2 if self.encoding.startswith("UTF-16") else data.index(0)
            )
        self._line += data.count(b"\n", 0, used)
        self._offset += used
        self._rest = data[used:]
        return text

    def _detect(self, data: bytes) -> bytes:
        self._is_detected = True
        for mark, encoding in MARKS:
            if data.startswith(mark):
                self.encoding = encoding
                self._offset = len(mark)
                return data[len(mark) :]
        self.encoding = _utf16(data[:DETECTED]) or self.encoding
        if self.encoding == "UTF-8" and legacy.is_stateful(self.wanted):
            self._begin(self.wanted)
        return data

    def _begin(self, codec: str) -> None:
        self.encoding = legacy.named(codec)
        self._other = codecs.getincrementaldecoder(codec)()

    def _decoded(self, data: bytes, is_last: bool) -> tuple[str, int]:
        if self._other:
            return self._in_other(self._other, data, is_last)
        if self.encoding == LATIN:
            return self._latin(data)
        try:
            text, used = DECODE[self.encoding](data, "strict", is_last)
        except UnicodeDecodeError as error:
            return self._not_assumed(data, error, is_last)
        self._has_utf8 = self._has_utf8 or len(text) != used
        return text, used

    def _in_other(
        self, decoder: codecs.IncrementalDecoder, data: bytes, is_last: bool
    ) -> tuple[str, int]:
        try:
            return decoder.decode(data, is_last), len(data)
        except UnicodeDecodeError as error:
            at = max(0, error.start - (len(error.object) - len(data)))
            raise UserError(
                f"`{self.name}` is not {self.encoding}: {self._where(data, at)}; give another encoding, as in"
                f" #encoding=cp1251, or {SAVE}."
            ) from error

    def _not_assumed(
        self, data: bytes, error: UnicodeDecodeError, is_last: bool
    ) -> tuple[str, int]:
        where = self._where(data, error.start)
        if b"\0" in data and self.encoding == "UTF-8":
            raise self._binary(data.index(0)) from error
        if self.encoding.startswith("UTF-8") and SURROGATE.match(data, error.start):
            line = self._line + data.count(b"\n", 0, error.start)
            raise not_utf8(error, f"Line {line:,} of `{self.name}`") from error
        if self.encoding != "UTF-8":
            raise UserError(
                f"`{self.name}` is not {self.encoding.removesuffix(' with BOM')}: {where}; {SAVE}."
            ) from error
        if self.wanted and self.is_one_of_two and not legacy.fits(data, self.wanted):
            self.wanted, self.is_preview = "", True
        if self.wanted and not self._has_utf8:
            self.why = where
            self._begin(self.wanted)
            return self._decoded(data, is_last)
        if not self._has_utf8 and self._is_other(data, where):
            return self._decoded(data, is_last)
        if self._has_utf8 or not data[: error.start].isascii():
            raise UserError(
                f"`{self.name}` mixes encodings: it is UTF-8 up to {where}, which is not; {SAVE}."
            ) from error
        self.encoding = LATIN
        self.why = where
        return self._latin(data, is_judged=True)

    def _is_other(self, data: bytes, where: str) -> bool:
        if legacy.has_utf8_lines(data):
            raise UserError(
                f"`{self.name}` mixes encodings: {where} is not UTF-8, but other lines are; {SAVE}."
            )
        found = UTF8_CHARACTER.findall(data)
        likely = legacy.likely(data)
        if likely is None or sum(map(len, found)) > MAX_CHANCE * len(data.translate(None, ASCII)):
            return False
        if mixed := legacy.of_two_scripts(data, likely):
            shown = ", ".join(f"`{shortened(word, 20)}`" for word in mixed[:3])
            raise UserError(
                f"`{self.name}` mixes encodings: {where} looks like {likely}, but other words are not, which would be"
                f" read as {shown}; {SAVE}."
            )
        if not self.is_preview:
            raise UserError(
                f"`{self.name}` is not UTF-8: {where}. This looks like {likely}: `{likely.example}`; to read it so,"
                f" give #encoding={likely.codec} after the file, or {SAVE}."
            )
        self.likely = likely
        self.why = f"{where} looks like {likely}"
        self._begin(likely.codec)
        return True

    def _latin(self, data: bytes, *, is_judged: bool = False) -> tuple[str, int]:
        is_open = not is_judged and self._high < JUDGED and not data.isascii()
        if is_open and self._is_other(data, self.why):
            raise UserError(
                f"`{self.name}` mixes encodings: its first lines are not {self.likely}; {SAVE}."
            )
        if len(runs := set(ACCENTED.findall(data))) >= MIN_RUNS:
            example = _cp1252(max(runs, key=len)[:20], "replace", True)[0]
            raise UserError(
                f"`{self.name}` is not all Latin-1, as {self.why} seems to be: some words would be read as `{example}`;"
                f" {SAVE}."
            )
        try:
            text, used = _cp1252(data, "strict", True)
        except UnicodeDecodeError as error:
            raise UserError(
                f"`{self.name}` is neither UTF-8 nor Latin-1: {self._where(data, error.start)}; {SAVE}."
            ) from error
        self._letters += len(data) - len(data.translate(None, LETTERS))
        self._high += len(data.translate(None, ASCII))
        self._in_utf8 += sum(len(found) for found in UTF8_CHARACTER.findall(data))
        if self._in_utf8 > MAX_UTF8 * self._high:
            raise UserError(
                f"`{self.name}` mixes encodings: {self.why} is not UTF-8, but later bytes are; {SAVE}."
            )
        if self._high >= MIN_HIGH and self._high > MAX_HIGH * (self._high + self._letters):
            raise UserError(
                f"`{self.name}` is neither UTF-8 nor Latin-1: {self.why}, and most of its letters are not"
                f" ASCII; {SAVE}."
            )
        return text, used

    def _binary(self, at: int) -> UserError:
        where = f"it has a NUL byte at offset {self._offset + at}"
        return UserError(
            f"`{self.name}` is not text: {where}; export it as UTF-8 text and try again."
        )

    def _where(self, data: bytes, at: int) -> str:
        line = self._line + data.count(b"\n", 0, at)
        return f"byte 0x{data[at]:02X} at offset {self._offset + at} (line {line:,})"
