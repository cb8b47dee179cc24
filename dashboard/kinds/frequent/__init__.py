"""What the pages show of a heavy-hitter query."""

from dashboard.kinds.frequent.changes import Change, recent_changes
from dashboard.kinds.frequent.export import COLUMNS, export_rows
from dashboard.kinds.frequent.picture import SORTS, Picture, picture
from dashboard.kinds.frequent.tiles import Tiles, tiles, waiting_tiles

__all__ = [
    "COLUMNS",
    "SORTS",
    "Change",
    "Picture",
    "Tiles",
    "export_rows",
    "picture",
    "recent_changes",
    "tiles",
    "waiting_tiles",
]
