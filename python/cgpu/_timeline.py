"""A picture of the timeline: a row a thread or stream, slices as rectangles in the colours of the viewer."""
from __future__ import annotations

import html
import io
import math
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

from . import _cgpu

if TYPE_CHECKING:
    from ._session import Session

# Lightness, hue and chroma of fills in OKLCH, as the viewer has them (web/src/timeline/colours.ts says how they were
# found; tests/python_display_test.py holds both against each other).
CLASSES = {
    "copy": (0.72, 147, 0.125), "set": (0.68, 144, 0.057), "collective": (0.78, 89, 0.137),
    "expert_exchange": (0.81, 67, 0.125), "custom_collective": (0.84, 82, 0.104), "gemm": (0.72, 239, 0.15),
    "moe_gemm": (0.66, 269, 0.15), "convolution": (0.81, 239, 0.107), "attention": (0.65, 317, 0.15),
    "state_space": (0.65, 355, 0.026), "normalization": (0.78, 20, 0.109), "softmax_loss": (0.7, 350, 0.126),
    "activation": (0.88, 135, 0.11), "elementwise": (0.88, 190, 0.096), "fused": (0.85, 249, 0.047),
    "reduction": (0.71, 295, 0.083), "optimizer": (0.65, 39, 0.088), "embedding": (0.88, 93, 0.149),
    "indexing": (0.82, 40, 0.043), "kv_cache": (0.85, 158, 0.025), "sort_scan": (0.83, 112, 0.068),
    "quantization": (0.77, 267, 0.081), "rope": (0.78, 327, 0.11), "moe_routing": (0.81, 322, 0.07),
    "layout": (0.72, 116, 0.115), "random": (0.68, 84, 0.084), "pooling": (0.68, 217, 0.058)
}
KINDS = {
    "framework_op": (0.76, 300, 0.055), "annotation": (0.87, 281, 0.06), "device_annotation": (0.87, 281, 0.06),
    "python_function": (0.79, 101, 0.083), "runtime_call": (0.65, 107, 0.026), "driver_call": (0.86, 96, 0.086),
    "os_call": (0.71, 17, 0.034), "kernel": (0.72, 239, 0.15), "memcpy": (0.72, 147, 0.125),
    "memset": (0.68, 144, 0.057), "device_collective": (0.78, 89, 0.137), "synchronization": (0.86, 28, 0.07),
    "overhead": (0.86, 195, 0.057), "profiler_span": (0.78, 260, 0.015)
}
_PLAIN = (0.78, 255, 0.012)
_INK, _FAINT, _PAPER = "#14181c", "#8a929a", "#ffffff"

# In pixels.
_HEADINGS, _LANE, _GAP, _AXIS, _MARGIN, _LETTER = 210, 17, 7, 26, 8, 6.7
_MOST_LANES, _LANES_OF_A_TRACK = 46, 10
_LEAST_WIDTH, _MOST_WIDTH = 400, 8000


class _Box(NamedTuple):
    """A rectangle. `text` is in it as far as it fits, `title` beside the mouse."""
    x: float
    y: float
    width: float
    height: float
    fill: str
    text: str = ""
    title: str = ""


class _Word(NamedTuple):
    """A line of text, with its middle at height y."""
    x: float
    y: float
    text: str
    colour: str


class Timeline:
    """A picture of a part of the timeline. Made by `Session.timeline`."""

    def __init__(self, window: Tuple[int, int], size: Tuple[int, int], shapes: List[Union[_Box, _Word]],
                 left_out: List[str]) -> None:
        self._window = window
        self._size = size
        self._shapes = shapes
        self._left_out = left_out

    @property
    def window(self) -> Tuple[int, int]:
        """From when to when, in ns from the start of the profile."""
        return self._window

    @property
    def left_out(self) -> List[str]:
        """What there was no room for, a line each."""
        return list(self._left_out)

    def to_svg(self) -> str:
        """For a browser; the names of slices appear beside the mouse."""
        width, height = self._size
        parts = [
            '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '
            'font-family="monospace" font-size="11"><rect width="100%%" height="100%%" fill="%s"/>' %
            (width, height, width, height, _PAPER)
        ]
        for shape in self._shapes:
            if isinstance(shape, _Word):
                parts.append(_svg_text(shape))
                continue
            title = "<title>%s</title>" % _escaped(shape.title) if shape.title else ""
            parts.append('<rect x="%.2f" y="%g" width="%.2f" height="%g" fill="%s">%s</rect>' %
                         (shape.x, shape.y, shape.width, shape.height, shape.fill, title))
            if shape.text:
                parts.append(_svg_text(_word_in(shape)))
        return "\n".join(parts) + "</svg>\n"

    def to_png(self) -> bytes:
        """For what does not take SVG. Raises ImportError where Pillow is not installed."""
        from PIL import Image, ImageDraw, ImageFont  # pylint: disable=import-outside-toplevel

        image = Image.new("RGB", self._size, _PAPER)
        draw = ImageDraw.Draw(image)
        font = ImageFont.load_default(size=11)
        for shape in self._shapes:
            if isinstance(shape, _Box):
                right = max(shape.x, shape.x + shape.width - 1)
                draw.rectangle((shape.x, shape.y, right, shape.y + shape.height - 1), fill=shape.fill)
            word = _word_in(shape) if isinstance(shape, _Box) else shape
            if word.text:
                draw.text((word.x, word.y), word.text, fill=word.colour, font=font, anchor="lm")
        file = io.BytesIO()
        image.save(file, "PNG", optimize=True)
        return file.getvalue()

    def save(self, path: str) -> None:
        """As the ending says: .png, else SVG. Raises OSError."""
        data = self.to_png() if str(path).lower().endswith(".png") else self.to_svg().encode()
        with open(path, "wb") as file:
            file.write(data)

    def _repr_svg_(self) -> str:
        return self.to_svg()


class _Slice(NamedTuple):
    """One slice, or several that are narrower than a pixel."""
    start: int
    end: int
    depth: Optional[int]
    kind: str
    kernel_class: Optional[str]
    name: str
    duration: int  # of all of them together
    slices: int


class _Track(NamedTuple):
    heading: str
    lanes: List[List[_Slice]]
    deeper: int  # slices of lanes that are left out


def draw_timeline(session: Session, from_: Union[int, str, None], to: Union[int, str, None], width: int,
                  most_tracks: int) -> Timeline:
    """`Session.timeline`."""
    for name, value, least, most in (("width", width, _LEAST_WIDTH, _MOST_WIDTH), ("most_tracks", most_tracks, 1,
                                                                                   1000)):
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise _cgpu.Error("%s=%r: a number from %d to %d was expected" % (name, value, least, most))
    window = _window(session, from_, to)
    pixel = max(1.0, (window[1] - window[0]) / (width - _HEADINGS - _MARGIN))
    found = _slices(session, window, pixel)
    if not found:
        raise _cgpu.Error("there is nothing on the timeline from %s to %s" %
                          (time_text(window[0]), time_text(window[1])))
    tracks, left_out = _tracks(session, found, window, most_tracks)
    return _layout(tracks, window, width, left_out)


def _window(session: Session, from_: Union[int, str, None], to: Union[int, str, None]) -> Tuple[int, int]:
    start = 0 if from_ is None else _cgpu.nanoseconds(str(from_), "from_")
    if to is not None:
        end = _cgpu.nanoseconds(str(to), "to")
    else:
        end = session.sql("SELECT max(start_ns + duration_ns) AS end_ns FROM slices")[0]["end_ns"]
        if end is None:
            raise _cgpu.Error("the profile has no timeline: nothing in it has a begin and an end")
    if end <= start:
        raise _cgpu.Error("from %s to %s: the end must come after the begin (the profile may be shorter)" %
                          (time_text(start), time_text(end)))
    return start, end


def _slices(session: Session, window: Tuple[int, int], pixel: float) -> Dict[Tuple[int, int], List[_Slice]]:
    """What is in the window, by rank and track. Of slices that are narrower than a pixel and begin in the same one the
    longest stands for all."""
    inside = "start_ns < %d AND (start_ns + duration_ns > %d OR start_ns >= %d)" % (window[1], window[0], window[0])
    kernel_class = ("CASE kind WHEN 'kernel' THEN class(name) WHEN 'memcpy' THEN 'copy' WHEN 'memset' THEN 'set' "
                    "WHEN 'device_collective' THEN 'collective' END AS class")
    wide = ("SELECT rank, track, start_ns, duration_ns, duration_ns AS together_ns, 1 AS count, depth, kind, name, %s "
            "FROM slices WHERE %s AND duration_ns >= %d" % (kernel_class, inside, int(pixel)))
    narrow = ("SELECT rank, track, min(start_ns) AS start_ns, max(duration_ns) AS duration_ns, "
              "sum(duration_ns) AS together_ns, count(*) AS count, depth, kind, name, %s FROM slices "
              "WHERE %s AND duration_ns < %d GROUP BY rank, track, depth, kind = 'device_annotation', "
              "CAST((start_ns - %d) / %f AS INTEGER)" % (kernel_class, inside, int(pixel), window[0], pixel))
    found: Dict[Tuple[int, int], List[_Slice]] = {}
    for statement, least in ((wide, 0.0), (narrow, pixel)):
        for row in session.sql(statement):
            end = row["start_ns"] + max(row["duration_ns"], int(least))
            one = _Slice(row["start_ns"], end, row["depth"], row["kind"], row["class"], row["name"] or "",
                         row["together_ns"], row["count"])
            found.setdefault((row["rank"], row["track"]), []).append(one)
    return found


def _tracks(session: Session, found: Dict[Tuple[int, int], List[_Slice]], window: Tuple[int, int],
            most_tracks: int) -> Tuple[List[_Track], List[str]]:
    """Those with most time on them, devices before hosts, and what was left out."""
    declared = {(row["rank"], row["track"]): row for row in session.table("tracks")}
    order = {"device_stream": 0, "host_thread": 1}
    ranks = len({rank for rank, _ in found})

    def busy(key: Tuple[int, int]) -> int:
        return sum(min(one.end, window[1]) - max(one.start, window[0]) for one in found[key] if not one.depth)

    def place(key: Tuple[int, int]) -> Tuple[int, int]:
        return order.get(declared[key]["kind"], 2), -busy(key)

    chosen = sorted(found, key=place)[:most_tracks]
    chosen.sort(key=lambda key: (key[0], place(key)))
    room = [_LANES_OF_A_TRACK] * len(chosen)
    lanes = [_lanes_of(found[key], window) for key in chosen]
    while sum(min(most, len(own)) for most, own in zip(room, lanes)) > max(_MOST_LANES, len(chosen)):
        widest = max(range(len(chosen)), key=lambda at: min(room[at], len(lanes[at])))
        room[widest] = min(room[widest], len(lanes[widest])) - 1
    tracks = [
        _Track(_heading(declared[key], ranks > 1), own[:most], sum(one.slices for lane in own[most:] for one in lane))
        for key, own, most in zip(chosen, lanes, room)
    ]
    left_out = []
    if len(found) > len(chosen):
        left_out.append("%d of %d threads and streams, those with least time" % (len(found) - len(chosen), len(found)))
    if deeper := sum(track.deeper for track in tracks):
        left_out.append("%d slices that lie deeper than there is room for" % deeper)
    return tracks, left_out


def _heading(track: Dict[str, Any], with_rank: bool) -> str:
    """Profiles say numbers ("7") or names ("stream 7")."""
    def called(what: str, name: Optional[str]) -> str:
        return "%s %s" % (what, name) if name is not None and name.isdigit() else name or what

    if track["kind"] == "device_stream":
        name = "%s, %s" % (called("device", track["process"]), called("stream", track["thread"]))
    elif track["kind"] == "host_thread":
        name = track["thread_name"] or called("thread", track["thread"])
    else:
        name = track["thread_name"] or track["thread"] or ""
    return "rank %d, %s" % (track["rank"], name) if with_rank else name


def _lanes_of(slices: List[_Slice], window: Tuple[int, int]) -> List[List[_Slice]]:
    """By depth on a host, where of those slices that cover the whole window the innermost alone is kept; elsewhere each
    where there is room."""
    covering = [
        one.depth for one in slices if one.depth is not None and one.start <= window[0] and one.end >= window[1]
    ]
    by_depth: Dict[Tuple[int, int], List[_Slice]] = {}
    free: Tuple[List[int], List[int]] = ([], [])  # by lane, when it ends: of annotations, which are first, and of ops
    for one in sorted(slices, key=lambda one: (one.start, -one.end)):
        if one.depth is not None:
            if not covering or one.depth >= max(covering):
                by_depth.setdefault((0, one.depth), []).append(one)
            continue
        group = 0 if one.kind == "device_annotation" else 1
        ends = free[group]
        lane = next((at for at, end in enumerate(ends) if end <= one.start or one.slices > 1), len(ends))
        ends[lane:lane + 1] = [max(one.end, ends[lane] if lane < len(ends) else 0)]
        by_depth.setdefault((group, lane), []).append(one)
    return [by_depth[depth] for depth in sorted(by_depth)]


def _layout(tracks: List[_Track], window: Tuple[int, int], width: int, left_out: List[str]) -> Timeline:
    shapes: List[Union[_Box, _Word]] = []
    right = width - _MARGIN
    scale = (right - _HEADINGS) / (window[1] - window[0])
    height = _AXIS + sum(len(track.lanes) * _LANE + _GAP for track in tracks)
    step = _tick_step(window[1] - window[0], (right - _HEADINGS) / 130)
    for at in range(-(-window[0] // step) * step, window[1] + 1, step):
        x = _HEADINGS + (at - window[0]) * scale
        shapes.append(_Box(x, _AXIS - 6, 1, height - _AXIS + 6, "#e4e7ea"))
        text = time_text(at)
        if x + 3 + len(text) * _LETTER <= width:
            shapes.append(_Word(x + 3, _AXIS / 2 - 1, text, _FAINT))
    y = _AXIS
    seen: Dict[str, str] = {}  # fill by what it means
    for track in tracks:
        shapes.append(_Word(_MARGIN, y + _LANE / 2, _cut(track.heading, _HEADINGS - 2 * _MARGIN), _INK))
        for lane in track.lanes:
            for one in lane:
                meaning, fill = _fill_of(one)
                seen.setdefault(meaning, fill)
                shapes.append(_box_of(one, window, scale, y, fill))
            y += _LANE
        y += _GAP
    x = float(_MARGIN)
    for meaning, fill in seen.items():
        if x + 20 + len(meaning) * _LETTER > right:
            x, y = float(_MARGIN), y + _LANE
        shapes.append(_Box(x, y + 3, 11, 11, fill))
        shapes.append(_Word(x + 15, y + _LANE / 2, meaning, _INK))
        x += 30 + len(meaning) * _LETTER
    return Timeline(window, (width, int(y + _LANE + _MARGIN)), shapes, left_out)


def _box_of(one: _Slice, window: Tuple[int, int], scale: float, y: float, fill: str) -> _Box:
    begin = _HEADINGS + (max(one.start, window[0]) - window[0]) * scale
    wide = max(1.0, (min(one.end, window[1]) - max(one.start, window[0])) * scale)
    if one.slices > 1:
        title = "%d slices, %s together; the longest: %s" % (one.slices, time_text(one.duration), one.name)
    else:
        title = "%s, %s from %s" % (one.name, time_text(one.duration), time_text(one.start))
    text = _cut(one.name, wide - 4) if one.slices == 1 else ""
    return _Box(begin, y, wide - 0.5 if wide > 3 else wide, _LANE - 2, fill, text, title)


def _fill_of(one: _Slice) -> Tuple[str, str]:
    if one.kernel_class:
        return one.kernel_class, _colour(CLASSES.get(one.kernel_class, _PLAIN))
    return one.kind.replace("_", " "), _colour(KINDS.get(one.kind, _PLAIN))


def _colour(fill: Tuple[float, float, float]) -> str:
    """OKLCH (B. Ottosson, 2020) as sRGB."""
    lightness, hue, chroma = fill
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b)**3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b)**3
    short = (lightness - 0.0894841775 * a - 1.291485548 * b)**3

    def channel(value: float) -> int:
        value = min(1.0, max(0.0, value))
        return round((value * 12.92 if value <= 0.0031308 else 1.055 * value**(1 / 2.4) - 0.055) * 255)

    return "#%02x%02x%02x" % (channel(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short),
                              channel(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short),
                              channel(-0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short))


def time_text(time: int) -> str:
    """A time as people write it, without loss: 1.5 ms."""
    for unit, size in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
        if abs(time) >= size:
            whole, rest = divmod(abs(time), size)
            digits = ("%d.%0*d" % (whole, len(str(size)) - 1, rest)).rstrip("0").rstrip(".")
            return ("-" if time < 0 else "") + digits + " " + unit
    return "%d ns" % time


def _tick_step(length: int, most: float) -> int:
    """The least of 1, 2 and 5 times a power of ten by which at most so many ticks fit."""
    for step in _steps():
        if length / step <= most:
            return step
    raise AssertionError


def _steps() -> Iterator[int]:
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def _cut(text: str, width: float) -> str:
    """As much of it as fits; nothing where that says nothing."""
    fits = int(width / _LETTER)
    if len(text) <= fits:
        return text
    return text[:fits - 1] + "\u2026" if fits >= 4 else ""


def _word_in(box: _Box) -> _Word:
    return _Word(box.x + 2, box.y + box.height / 2, box.text, _INK)


def _svg_text(word: _Word) -> str:
    return '<text x="%.2f" y="%g" dy="0.35em" fill="%s" xml:space="preserve">%s</text>' % (word.x, word.y, word.colour,
                                                                                           _escaped(word.text))


def _escaped(text: str) -> str:
    """For XML, which has no control characters."""
    return html.escape("".join(c if c >= " " else "\ufffd" for c in text))
