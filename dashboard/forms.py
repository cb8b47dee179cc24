"""Forms to register and change queries, one per kind.

A form reads what people type; what is right is decided by the kind (analytics.kinds), so that the form, the
preview and the service cannot disagree. Works without a script.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms

from analytics.choices import Kind
from analytics.errors import InvalidQuery
from analytics.kinds import KINDS
from analytics.kinds.frequent import ITEM_TYPES, WEIGHT_TYPES
from analytics.models import Query, Stream


class WholeNumberField(forms.CharField):
    """A whole number as people write it; the kind reads it and says what is wrong with it."""

    def __init__(self, **options: Any) -> None:
        attrs = {"inputmode": "numeric", "autocomplete": "off", "class": "number-input"}
        super().__init__(widget=forms.TextInput(attrs=attrs), max_length=40, **options)

    def prepare_value(self, value: Any) -> Any:
        return f"{value:,}" if isinstance(value, int) else value


class PercentField(forms.CharField):
    """A share, written in percent; the value is between 0 and 1."""

    def __init__(self, **options: Any) -> None:
        attrs = {"inputmode": "decimal", "autocomplete": "off", "class": "number-input"}
        super().__init__(widget=forms.TextInput(attrs=attrs), max_length=20, **options)

    def clean(self, value: Any) -> float | None:
        text = super().clean(value).rstrip("% \u00a0")
        if not text:
            return None
        if not re.fullmatch(r"[0-9]{0,3}(\.[0-9]{1,8})?", text) or not 0 < float(text) < 100:
            raise forms.ValidationError("Write a share between 0 and 100 %, for example 2.")
        # 0.1 % is 0.001, not 0.0010000000000000002.
        return round(float(text) / 100, 10)

    def prepare_value(self, value: Any) -> Any:
        return f"{value * 100:.10g}" if isinstance(value, float) else value


class QueryForm(forms.Form):
    """What every kind asks for. A subclass names its kind and its parameters."""

    kind: ClassVar[Kind]

    stream = forms.ModelChoiceField(
        Stream.objects.all(),
        to_field_name="name",
        empty_label=None,
        error_messages={"invalid_choice": "There is no such stream any more. Choose another."},
    )
    name = forms.CharField(
        max_length=80,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "placeholder": "For example Busiest destinations"}
        ),
        help_text="How it is called in lists and links",
        error_messages={"required": "Give it a name: people will look for it by this."},
    )

    # So that attributes of widgets survive: Django would print its own required marks.
    use_required_attribute = False

    def __init__(self, *args: Any, stream: Stream | None, **options: Any) -> None:
        super().__init__(*args, **options)
        if stream is not None:
            self.offer(stream)

    def offer(self, stream: Stream) -> None:
        """Fill in the choices that depend on the stream."""

    def clean(self) -> dict[str, Any]:
        """Let the kind read the parameters too, so that a person sees all that is wrong at once."""
        if "stream" in self.cleaned_data:
            try:
                KINDS[self.kind].clean(self.cleaned_data["stream"].spec(), self.params())
            except InvalidQuery as invalid:
                self.refuse({name: text for name, text in invalid.errors.items() if name not in self.errors})
        return self.cleaned_data

    def params(self) -> dict[str, Any]:
        """The parameters as read, or as they stand in a fresh form; the unreadable ones are left out."""
        values = self.cleaned_data if self.is_bound else self.initial
        return {name: value for name, value in values.items() if name not in ("stream", "name")}

    def refuse(self, errors: Mapping[str, str]) -> None:
        """Put what the kind or the service said beside the fields it speaks of."""
        for name, text in errors.items():
            self.add_error(name if name in self.fields else None, text)

    def messages(self) -> dict[str, str]:
        """The first message of each field; the empty name is for the query as a whole."""
        return {"" if name == "__all__" else name: texts[0] for name, texts in self.errors.items()}


class FrequentForm(QueryForm):
    """Heavy hitters."""

    kind = Kind.FREQUENT

    item = forms.CharField(
        label="Item field",
        max_length=63,
        widget=forms.Select,
        help_text="The thing that is counted",
        error_messages={"required": "Choose the field to count."},
    )
    weight = forms.CharField(
        label="Weight field",
        max_length=63,
        widget=forms.Select,
        required=False,
        help_text="A number to add up instead of counting, such as bytes or miles",
    )
    basis = forms.ChoiceField(
        label="Measured in",
        choices=[("count", "Elements"), ("time", "Time")],
        widget=forms.RadioSelect,
        help_text="The last so many elements, or the last so many seconds",
    )
    window = WholeNumberField(
        label="Window N",
        help_text="Answers cover the last N. Longer is smoother, shorter reacts faster.",
        error_messages={"required": "Say how much an answer covers."},
    )
    basic_window = WholeNumberField(
        label="Basic window b",
        help_text="The answer renews every b. Must divide N.",
        error_messages={"required": "Say how often the answer renews."},
    )
    k = WholeNumberField(
        label="Kept per basic window k",
        help_text="More are kept: narrower bounds, more memory.",
        error_messages={"required": "Say how many are kept."},
    )
    show = forms.ChoiceField(
        label="Show",
        choices=[("top", "Top"), ("threshold", "Threshold φ")],
        widget=forms.RadioSelect,
        help_text="The most frequent, or all over a share of the window",
    )
    limit = WholeNumberField(label="How many", required=False, help_text="Rows in the answer")
    phi = PercentField(label="Share φ", required=False, help_text="All that make up at least this share")
    lateness_seconds = WholeNumberField(
        label="Wait for late ones",
        required=False,
        help_text="How long a basic window stays open. What comes later is dropped and counted.",
    )

    def offer(self, stream: Stream) -> None:
        choices = field_choices(stream)
        self.fields["item"].widget.choices = _options(choices["items"])
        self.fields["weight"].widget.choices = [("", "each counts 1"), *_options(choices["weights"])]


FORMS: dict[str, type[QueryForm]] = {Kind.FREQUENT: FrequentForm}


def field_choices(stream: Stream) -> dict[str, list[str]]:
    """Which fields of a stream can be counted, and which can weigh."""
    fields = list(stream.fields.all())
    return {
        "items": [field.name for field in fields if field.type in ITEM_TYPES],
        "weights": [field.name for field in fields if field.type in WEIGHT_TYPES],
    }


def initial_of(query: Query) -> dict[str, Any]:
    """A form's first values when a query is changed or taken as a model."""
    return {"stream": query.stream.name, "name": query.name, **query.params}


def _options(names: list[str]) -> list[tuple[str, str]]:
    return [(name, name) for name in names]
