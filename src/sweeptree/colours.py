"""Colours that everyone can tell apart, on light pages and on dark ones."""

LIGHT = ("#0062d6", "#d17c0a", "#0d5c40", "#8f2a78", "#279dd4", "#a83a00", "#3d2a00", "#8c8c8c")
DARK = ("#2f7df0", "#e2a302", "#12af55", "#ff5fbf", "#b4d0ff", "#c8470c", "#fbfe9c", "#6c6c6c")
"""The hues of Okabe and Ito, as light or dark as it takes to stand out from the page and from each
other, also for those who see colours differently. The last is for what shares a colour."""

EITHER = tuple(f"light-dark({light}, {dark})" for light, dark in zip(LIGHT, DARK, strict=True))
"""The same in CSS, by the scheme of the page."""
