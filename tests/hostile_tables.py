"""Names and labels that try to be more than text."""

import numpy as np
import pandas as pd

NAMES = [
    '</script><script>window.hacked = "name"</script>',
    "<img src=x onerror='window.hacked=1'>",
    "\"quoted\" 'twice' & <b>bold</b> {{ 7 * 7 }}",
    "\u202eאבג right to left عربي",
    "emoji 🌲\u2028line\u2029paragraph # # </style>",
    "long " * 40,
]
LEVELS = ["<svg onload=window.hacked=2>", "</script>", "\u202eحسن", "l" * 200]
LABELS = ["</title><script>window.hacked=3</script>", "🌳 & “so on”"]


def hostile_table(n_rows=160, seed=0):
    rng = np.random.default_rng(seed)
    numbers = {name: rng.normal(size=n_rows).round(2) for name in NAMES[:-1]}
    table = pd.DataFrame(numbers | {NAMES[-1]: rng.choice(LEVELS, n_rows)})
    is_first = (table[NAMES[0]] > 0) ^ (table[NAMES[-1]] == LEVELS[0])
    return table, np.array(LABELS)[is_first.astype(int)]
