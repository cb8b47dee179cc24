"""The sentence a query is asked in, cut so that a page can print its figures bold."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A number that stands alone, with its unit: 2 %, 10,000, 5 min. Digits inside a name are no figure.
FIGURE = re.compile(r"(?<![\w.])(\d[\d,.]*\d|\d)(?!\w)(?:[ \u00a0]%)?")


@dataclass(frozen=True, slots=True)
class Part:
    text: str
    bold: bool = False


def parts(question: str) -> list[Part]:
    """Joined again, the parts are the sentence. Twin: static/js/queries/question.js."""
    found: list[Part] = []
    end = 0
    for match in FIGURE.finditer(question):
        found += [Part(question[end : match.start()]), Part(match.group(), bold=True)]
        end = match.end()
    return [part for part in (*found, Part(question[end:])) if part.text]
