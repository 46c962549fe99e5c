"""The sampler in plain Python: slow, obvious, the specification of the kernel in ``cpp/``.

Read in this order: `tree` and `data` (what is sampled), `prior`, `likelihood` and `target` (from
what), `state` (what every move works on), `moves` (what is drawn, and the ratios, one function per
equation), `leaf_moves`, `rule_moves` and `branch_moves` (each move, drawn and evaluated), `walker`
(an iteration), `chain` (walkers that exchange their places, and what is recorded). The kernel has
these files, with the same functions, and some more that make it fast; from one seed it makes the
same moves.
"""

from sweeptree.reference.chain import Chain
from sweeptree.reference.predict import Forest
from sweeptree.reference.target import Target

__all__ = ["Chain", "Forest", "Target"]
