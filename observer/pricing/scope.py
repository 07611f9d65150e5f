"""Many groups valued together: a subtotal of what is known, a total only of the whole.

Owns how amounts, counts and reasons add up. Never lets an unpriced response
count as 0 and never rounds.
"""

from collections.abc import Iterable
from decimal import Decimal

from observer.pricing import exact
from observer.pricing.value import value
from observer.records.valuation import ModelValuation, PriceSchedule, Rates, UsageGroup, Valuation, Valued


class _Share:
    """What has been added up so far, for one model or for all."""

    def __init__(self) -> None:
        self.responses = 0
        self.priced = 0
        self.amounts: list[Decimal] = []
        self.reasons: dict[str, int] = {}
        self.rates: list[Rates] = []

    def add(self, group: UsageGroup, valued: Valued) -> None:
        self.responses += group.responses
        self.amounts.extend(valued.parts.values())
        if valued.reason is None:
            self.priced += group.responses
        else:
            self.reasons[valued.reason] = self.reasons.get(valued.reason, 0) + group.responses
        if valued.rates is not None and valued.rates not in self.rates:
            self.rates.append(valued.rates)

    @property
    def subtotal(self) -> Decimal:
        return exact.total(self.amounts)

    def sorted_reasons(self) -> dict[str, int]:
        return dict(sorted(self.reasons.items()))


def valuate(groups: Iterable[UsageGroup], schedule: PriceSchedule) -> Valuation:
    """Values every group and adds up, per recorded model id and in all.

    `subtotal` holds everything known, lower bounds included; `total` is None
    as soon as one response is unpriced (behaviour §15.2), 0 for no responses.
    """
    whole = _Share()
    models: dict[str | None, _Share] = {}
    for group in groups:
        valued = value(group, schedule)
        whole.add(group, valued)
        models.setdefault(group.model, _Share()).add(group, valued)
    subtotal = whole.subtotal
    return Valuation(
        schedule_id=schedule.schedule_id,
        as_of=schedule.as_of,
        source_url=schedule.source_url,
        responses=whole.responses,
        priced_responses=whole.priced,
        subtotal=subtotal,
        total=subtotal if whole.priced == whole.responses else None,
        reasons=whole.sorted_reasons(),
        by_model=tuple(_of_model(model, models[model]) for model in sorted(models, key=_known_first)),
    )


def _known_first(model: str | None) -> tuple[bool, str]:
    return model is None, model or ""


def _of_model(model: str | None, share: _Share) -> ModelValuation:
    return ModelValuation(
        model=model,
        responses=share.responses,
        priced_responses=share.priced,
        subtotal=share.subtotal,
        reasons=share.sorted_reasons(),
        rates=tuple(share.rates),
    )
