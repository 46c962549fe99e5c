"""The few combinations of settings that are tested at every run leave no pair or value out."""

from itertools import combinations, product

import pytest

from combinations import ON_DEMAND, covering, thinned

LISTS = ("abcdef", (1, 2), (False, True), ((0, 1), (0, 2), (3,)))


def test_any_two_values_of_two_lists_are_together_in_one():
    chosen = covering(*LISTS, together=2)
    for (i, mine), (j, yours) in combinations(enumerate(LISTS), 2):
        assert {(values[i], values[j]) for values in chosen} == set(product(mine, yours))
    assert len(chosen) < len(list(product(*LISTS))) / 2


def test_each_value_is_in_one_and_none_is_preferred():
    chosen = covering(*LISTS, together=1)
    assert len(chosen) == len(LISTS[0])
    for place, values in enumerate(LISTS):
        used = [combination[place] for combination in chosen]
        assert [used.count(value) for value in values] == [len(chosen) / len(values)] * len(values)


@pytest.mark.parametrize("together", [1, 2])
def test_all_others_are_there_on_demand(together):
    parameters = thinned(*LISTS, together=together)
    assert [each.values for each in parameters] == list(product(*LISTS))
    at_every_run = [each.values for each in parameters if each.marks != ON_DEMAND]
    assert sorted(map(str, at_every_run)) == sorted(map(str, covering(*LISTS, together=together)))
    assert len({each.id for each in parameters}) == len(parameters)
