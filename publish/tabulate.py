"""Rows and tables of a comment: from figures to the cells of its model, token and price tables.

Chooses columns and forms; adds up nothing but the rows of one table.
"""

from collections.abc import Iterator
from decimal import Decimal

from observer.records import semantics as labels
from publish import totals, words
from publish.cells import Amount, Cell, Count, Identifier, Rate, Source, Tokens, Word
from publish.figures import Known, ModelRow, RateRow, TokenRow, TokenTable
from publish.summary import Model, RateLine, Table, Usage


def model_row(row: ModelRow) -> Model:
    """A row of the main table."""
    known = row.priced > 0 or Decimal(row.usd) > 0
    return Model(
        model=Identifier(row.model),
        effort=_effort(row.effort),
        responses=Count(row.responses),
        priced=Count(row.priced),
        usd=Amount(Decimal(row.usd), complete=row.priced == row.responses) if known else None,
    )


def _effort(name: str | None) -> Cell:
    return Word(words.EFFORTS, name) if name is not None and name in words.EFFORTS else Identifier(name)


def token_table(table: TokenTable) -> Table:
    """One token table; a last row adds the others up."""
    placed = labels.parse(table.semantics)
    origin = table.semantics.partition(";")[2]
    return Table(
        cached=Word(words.RELATIONS, placed.cached),
        origin=Word(words.ORIGINS, origin if origin in words.ORIGINS else ""),
        harnesses=tuple(_harness(each) for each in table.harnesses),
        cached_inside=placed.cached == "inside",
        reasoning_inside=placed.reasoning == "inside",
        has_writes=placed.cached != "inside" or any(row.cache_write_input.tokens for row in table.rows),
        has_reasoning=placed.reasoning != "inside" or any(_reported(row) for row in table.rows),
        rows=tuple(_usage(row) for row in table.rows),
        every=_usage(totals.every(table.rows), adds_up=True) if len(table.rows) > 1 else None,
    )


def _harness(name: str) -> Cell:
    return Word(words.HARNESSES, name) if name in words.HARNESSES else Identifier(name)


def _reported(row: TokenRow) -> bool:
    return row.reasoning_output.unknown < row.responses


def _usage(row: TokenRow, *, adds_up: bool = False) -> Usage:
    def cell(known: Known) -> Tokens:
        return Tokens(known.tokens, unknown=known.unknown, responses=row.responses)

    return Usage(
        model=None if adds_up else Identifier(row.model),
        input=cell(row.input),
        cached=cell(row.cached_input),
        write=cell(row.cache_write_input),
        output=cell(row.output),
        reasoning=cell(row.reasoning_output),
    )


def shown(table: Table, row: Usage) -> Iterator[Tokens]:
    """The cells of a row that stand in a column of its table."""
    yield from (row.input, row.cached, row.output)
    if table.has_writes:
        yield row.write
    if table.has_reasoning:
        yield row.reasoning


def rate_line(row: RateRow) -> RateLine:
    """A row of the price table."""

    def rate(text: str | None) -> Rate:
        return Rate(None if text is None else Decimal(text))

    return RateLine(
        model=Identifier(row.model),
        tier=Word(words.TIERS, row.tier),
        input=rate(row.input),
        cached=rate(row.cached_input),
        write_5m=rate(row.cache_write_5m),
        write_1h=rate(row.cache_write_1h),
        output=rate(row.output),
        reasoning=rate(row.reasoning_output),
        source=Source(row.source),
    )
