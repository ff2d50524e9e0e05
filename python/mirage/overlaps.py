"""Whether two tensors that lie in memory by strides have an element in common."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Set, Tuple

#: How many places are looked at before the question is given up. Tensors whose dimensions lie inside one
#: another, as those of rows and columns do, need a few for each dimension.
_MOST_STEPS = 100_000


class Extent(NamedTuple):
    """Where the elements of a tensor lie."""

    address: int
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]  #: in bytes
    itemsize: int

    def find_range(self) -> Tuple[int, int]:
        """From the first byte to behind the last one."""
        steps = [(size - 1) * stride for size, stride in zip(self.shape, self.strides)]
        return (self.address + sum(step for step in steps if step < 0),
                self.address + sum(step for step in steps if step > 0) + self.itemsize)


def share_element(one: Extent, other: Extent) -> Optional[bool]:
    """Exactly, where that can be said within bounds; else None.

    A byte that both have is a solution of

        one.address + sum of stride * index + byte  =  other.address + sum of stride * index + byte

    in indices and bytes within their sizes. With the indices of `other` counted from the far end, all of them stand
    on one side with factors above 0, and a number that is to be their sum on the other:

        columns 0, 2, 4, 6 and columns 1, 3, 5, 7 of 1 row of 8 bytes: 2 i + 2 j = 1 + 6, which has no solution."""
    begin, end = one.find_range()
    other_begin, other_end = other.find_range()
    if begin >= other_end or other_begin >= end:
        return False
    most = {1: one.itemsize + other.itemsize - 2}  # of each factor, the largest sum of its indices
    for extent in (one, other):
        for size, stride in zip(extent.shape, extent.strides):
            if size > 1 and stride != 0:
                most[abs(stride)] = most.get(abs(stride), 0) + size - 1
    return _can_sum_to(other_end - 1 - begin, most)


def _can_sum_to(total: int, most: Dict[int, int]) -> Optional[bool]:
    """Whether a sum of factors, each at most so many times, is a number. The largest comes first: what is left
    must be within reach of those behind it, which leaves a few choices where dimensions lie inside one another."""
    factors: List[int] = sorted(most, reverse=True)
    reach = sum(factor * most[factor] for factor in factors)
    left: Set[int] = {total}
    steps = 0
    for factor in factors:
        reach -= factor * most[factor]
        after: Set[int] = set()
        for number in left:
            first = max(0, -((reach - number) // factor))
            last = min(most[factor], number // factor)
            steps += max(0, last + 1 - first)
            if steps > _MOST_STEPS:
                return None
            after.update(number - factor * times for times in range(first, last + 1))
        left = after
    return bool(left)
