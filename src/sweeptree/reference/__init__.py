"""The sampler in plain Python: slow, obvious, the specification of the kernel in ``cpp/``.

Read in this order: `tree` and `data` (what is sampled), `prior` and `likelihood` (the target),
`moves` (proposals and their ratios, one function per equation), `walker` (an iteration), `chain`
(walkers that exchange their places, and what is recorded). The kernel has the same functions under
the same names and, from one seed, makes the same moves.
"""

from sweeptree.reference.chain import Chain
from sweeptree.reference.predict import Forest
from sweeptree.reference.target import Target

__all__ = ["Chain", "Forest", "Target"]
