"""Which topics somebody watches. Redis knows: a socket's process subscribes to the groups it is in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from channels.layers import get_channel_layer

if TYPE_CHECKING:
    from redis.asyncio import Redis


async def watched(redis: Redis, groups: Sequence[str]) -> set[str]:
    """Those of the groups with at least one subscriber. A crashed process needs no cleaning up after."""
    if not groups:
        return set()
    # The only private name we use of the layer; a test fails if it goes.
    channels = [get_channel_layer()._get_group_channel_name(group) for group in groups]
    counts = await redis.pubsub_numsub(*channels)
    return {group for group, (_, count) in zip(groups, counts, strict=True) if int(count)}
