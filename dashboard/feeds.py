"""What one socket still has to be told about one topic."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from analytics.models import Frame
from dashboard.messages import FrameMessage, GapMessage, Topic, encode, gap, stored_frame

MAX_INLINE = 100
# One batch of a driver arrives in one burst, which does not make the client a slow one. The number is the
# engine's MAX_FRAMES_PER_BATCH, not imported because the engine would come along into every web process.
BURST = 8


@dataclass(frozen=True, slots=True)
class News:
    """A message as the relay sent it, already JSON; only frames have a number."""

    text: str
    number: int | None = None


@dataclass(slots=True)
class Feed:
    """The messages that wait for a client: of a query the last few frames, of other topics the newest.

    `sent` is the number of the last frame the client has. Bounded, and never blocks the one who offers.
    """

    topic: Topic
    id: int | None
    after: int | None = None
    greeted: bool = False
    sent: int = 0
    dropped: int = 0
    waiting: deque[News] = field(default_factory=deque)

    @property
    def newest(self) -> int:
        return (self.waiting[-1].number or 0) if self.waiting else 0

    def offer(self, news: News) -> None:
        if news.number is None:
            self.waiting.clear()
        elif news.number <= max(self.sent, self.newest):
            # A relay that starts again repeats what it is not sure to have said.
            return
        elif len(self.waiting) >= BURST:
            self.dropped += len(self.waiting)
            self.waiting.clear()
        self.waiting.append(news)

    def take(self) -> News | None:
        """The next message to send. None when there is nothing new."""
        while self.waiting:
            news = self.waiting.popleft()
            if news.number is None or news.number > self.sent:
                return news
        return None

    def begin(self, newest: int | None) -> Feed:
        """The client has everything up to `after`; without one it wants the newest frame only.

        A client that claims more than there is remembers another history: it has no more than the newest.
        """
        self.sent = min(newest - 1 if self.after is None else self.after, newest) if newest else 0
        return self

    def caught_up(self, number: int) -> None:
        """Everything up to `number` was sent or named as a gap."""
        self.sent, self.dropped = max(self.sent, number), 0

    def hole_before(self, number: int) -> bool:
        """Are frames missing before this one that never reached us? Those dropped here do not count."""
        return number > self.sent + 1 and not self.dropped

    def tell(self, news: News) -> str:
        """The text for the client, with the number of frames it does not get; from now on it has this one."""
        if news.number is None:
            return news.text
        skipped, self.sent, self.dropped = news.number - self.sent - 1, news.number, 0
        if not skipped:
            return news.text
        frame: FrameMessage = json.loads(news.text)
        frame["skipped"] = skipped
        return encode(frame)


def newest_number(query_id: int) -> int | None:
    return Frame.objects.filter(query=query_id).order_by("-number").values_list("number", flat=True).first()


def stored(query_id: int, after: int, upto: int) -> list[FrameMessage | GapMessage]:
    """What there is to say about the frames in (after, upto], in order: each one is sent or in a gap.

    More than MAX_INLINE frames become one gap and the newest of them.
    """
    found = Frame.objects.filter(query=query_id, number__gt=after, number__lte=upto)
    frames = list(found.order_by("number")[: MAX_INLINE + 1])
    if len(frames) > MAX_INLINE:
        frames = list(found.order_by("-number")[:1])
    return with_gaps(query_id, frames, after, upto)


def with_gaps(
    query_id: int, frames: Sequence[Frame], after: int, upto: int
) -> list[FrameMessage | GapMessage]:
    told: list[FrameMessage | GapMessage] = []
    for frame in frames:
        if frame.number > after + 1:
            told.append(gap(query_id, after, frame.number))
        told.append(stored_frame(frame))
        after = frame.number
    if after < upto:
        told.append(gap(query_id, after, upto + 1))
    return told
