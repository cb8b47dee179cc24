"""The form that defines a stream: what it is called, how much it keeps, and its typed fields."""

from __future__ import annotations

from typing import Any

from django import forms

from analytics.choices import FieldRole, FieldType
from analytics.errors import InvalidStream
from analytics.models import name_of_field, name_of_stream
from spark_jobs.plan import Field

MOST_FIELDS = 100


def _whole(name: str, least: int, most: int, default: int) -> forms.IntegerField:
    widget = forms.NumberInput(attrs={"class": "number-input", "inputmode": "numeric"})
    return forms.IntegerField(min_value=least, max_value=most, initial=default, label=name, widget=widget)


class StreamForm(forms.Form):
    name = forms.CharField(
        max_length=63,
        validators=[name_of_stream],
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "spellcheck": "false", "placeholder": "departures"}
        ),
    )
    description = forms.CharField(max_length=200, required=False)
    retention_elements = _whole("Keep the last", 1_000, 100_000_000, 1_000_000)
    partitions = _whole("Partitions", 1, 64, 1)
    max_elements_per_second = _whole("Accept at most", 1, 50_000_000, 500_000)

    def take(self, wrong: InvalidStream) -> None:
        """Put the service's messages where they belong; those of no field of ours go on top."""
        for name, message in wrong.errors.items():
            self.add_error(name if name in self.fields else None, message)


class FieldForm(forms.Form):
    name = forms.CharField(
        max_length=63,
        validators=[name_of_field],
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    type = forms.ChoiceField(choices=FieldType.choices, initial=FieldType.STRING)
    role = forms.ChoiceField(choices=FieldRole.choices, initial=FieldRole.NONE, required=False)


class FieldRows(forms.BaseFormSet):
    """Rows left empty do not count; names may not repeat."""

    def clean(self) -> None:
        seen: set[str] = set()
        for form in self.forms:
            name = getattr(form, "cleaned_data", {}).get("name")
            if name and name in seen:
                form.add_error("name", f"There is another field called {name}.")
            seen.add(name or "")
        if not any(self.errors) and not self.fields():
            raise forms.ValidationError("A stream has at least one field.")

    def fields(self) -> list[Field]:
        given: list[dict[str, Any]] = [
            form.cleaned_data for form in self.forms if form.cleaned_data.get("name")
        ]
        return [Field(row["name"], row["type"], row["role"]) for row in given]


FieldForms = forms.formset_factory(
    FieldForm, formset=FieldRows, extra=0, max_num=MOST_FIELDS, absolute_max=MOST_FIELDS
)
# What most streams start with: when, what, how much.
FIRST_FIELDS = [
    {"name": "at", "type": FieldType.TIMESTAMP, "role": FieldRole.EVENT_TIME},
    {"name": "item", "type": FieldType.STRING, "role": FieldRole.KEY},
]
