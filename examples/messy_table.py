# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # From a messy table to a report
#
# Tables from life have text in them, dates, and holes. This page takes one from the file to
# predictions and a report, without a single column being turned into numbers by hand.
#
# The shop, its parcels and their fates are **made up** below.

# %%
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import sweeptree
from sweeptree import BayesianTreeClassifier

folder = Path(tempfile.mkdtemp())


def make_parcels(n_rows, seed):
    """Parcels, and whether they came back."""
    rng = np.random.default_rng(seed)
    parcels = pd.DataFrame(
        {
            "carrier": rng.choice(["bike", "van", "post"], n_rows),
            "country": rng.choice(["AT", "CH", "DE", "FR", "IT"], n_rows),
            "sent": pd.Timestamp("2024-01-01")
            + pd.to_timedelta(rng.integers(0, 365, n_rows), unit="D"),
            "weight_kg": rng.gamma(2.0, 1.5, n_rows).round(1),
            "is_gift": rng.random(n_rows) < 0.2,
            "house_number": rng.integers(1, 200, n_rows).astype(float),
        }
    )
    is_winter = parcels["sent"] >= "2024-11-15"
    risk = 0.08 + 0.5 * ((parcels["carrier"] == "post") & is_winter)
    risk += 0.3 * (parcels["weight_kg"] > 6)
    no_number = rng.random(n_rows) < 0.12
    parcels.loc[no_number, "house_number"] = np.nan
    parcels.loc[rng.random(n_rows) < 0.1, "weight_kg"] = np.nan
    parcels.loc[rng.random(n_rows) < 0.05, "carrier"] = None
    came_back = rng.random(n_rows) < np.where(no_number, 0.85, risk)
    parcels["fate"] = np.where(came_back, "returned", "delivered")
    return parcels


make_parcels(900, seed=0).to_csv(folder / "parcels.csv", index=False)
make_parcels(600, seed=1).to_csv(folder / "this_week.csv", index=False)
print((folder / "parcels.csv").read_text()[:300])

# %% [markdown]
# ## Reading and fitting
#
# pandas reads the file; the dates have to be named, the rest is as it is. No imputing, no one-hot
# columns: a missing value goes its own way in every split, and that it is missing may itself be the
# question.

# %%
parcels = pd.read_csv(folder / "parcels.csv", parse_dates=["sent"])
fate = parcels.pop("fate")
print(parcels.isna().sum())

model = BayesianTreeClassifier(n_burn_in=100_000, n_draws=500, thin=100, random_state=0)
model.fit(parcels, fate)
for column in model.columns_:
    print(column)

# %% [markdown]
# The most probable tree of all that were drawn:

# %%
print(model.representative_tree("map"))
used = model.variable_use().set_index("variable")["used"]
print(used.sort_values(ascending=False))
assert used["house_number"] > 0.99
assert "house_number is missing" in model.representative_tree("map").to_text()

# %% [markdown]
# It found what was put in: parcels without a house number come back. No rule about the *value* of a
# house number was needed for that.
#
# ## Predicting, with doubts
#
# A week later there are new parcels. One goes by a carrier that the model has never heard of.

# %%
week = pd.read_csv(folder / "this_week.csv", parse_dates=["sent"])
what_happened = week.pop("fate")
week.loc[0, "carrier"] = "drone"
doubts = model.uncertainty(week)
print(doubts.loc[:3, ["predicted", "probability", "lower", "upper", "outside_in"]])
assert doubts.loc[0, "outside_in"] == "carrier"
accuracy = (doubts["predicted"] == what_happened).mean()
most_common = (what_happened == "delivered").mean()
print(f"right: {accuracy:.1%}; always 'delivered': {most_common:.1%}")
assert accuracy > most_common + 0.05

# %% [markdown]
# Why does one of them come back? In words that can be checked against the trees:

# %%
likely_back = int(np.argmax(model.predict_proba(week)[:, 1]))
print(model.explain(week.iloc[likely_back]))

# %% [markdown]
# A column that is not what it was is refused, and named:

# %%
try:
    model.predict(week.assign(weight_kg="heavy"))
except ValueError as error:
    print(error)
    assert "weight_kg" in str(error)
else:
    raise AssertionError("text instead of weights must be refused")

# %% [markdown]
# ## Into files
#
# The predictions go into a table for those who did not fit the model; the model goes into a file
# that holds nothing executable, so that strangers can open it safely; and all about it goes into
# one page for the browser: trees, variables, single cases, and what if they were different.

# %%
week.assign(predicted=doubts["predicted"], probability=doubts["probability"]).to_csv(
    folder / "predictions.csv", index=False
)
model.save(folder / "parcels.sweeptree")
again = sweeptree.load(folder / "parcels.sweeptree")
np.testing.assert_array_equal(again.predict_proba(week), model.predict_proba(week))
model.report(folder / "report.html", week, what_happened)
for path in sorted(folder.iterdir()):
    print(f"{path.name}: {path.stat().st_size:,} bytes")
assert (folder / "report.html").stat().st_size < 500_000

# %% [markdown]
# The same to the last bit. From here on `sweeptree predict parcels.sweeptree this_week.csv` does it
# without any Python, and `sweeptree report parcels.sweeptree this_week.csv` writes the page.
