# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # When to give no answer
#
# A trauma team has minutes. A model that says "will survive, 0.55" helps nobody; one that says "I
# do not know, look closer" might. Here a model learns survival after an injury, and learns when to
# keep quiet.
#
# **All cases here are synthetic.** No row is a patient: they are drawn from formulas, so that the
# true probability of every case is known, which it never is in life. That is what makes it
# possible to check the model's own doubts.

# %%
import matplotlib.pyplot as plt
import numpy as np

from sweeptree import BayesianTreeClassifier
from sweeptree.datasets import make_injury
from sweeptree.uncertainty import AbstainingClassifier

known = make_injury(800, random_state=1, as_frame=True)
new = make_injury(2000, random_state=2, as_frame=True)
outcome = known.target_names[known.target]
truth = new.target_names[new.target]
print(known.data.iloc[:3, :6])

# %% [markdown]
# ## A model of survival
#
# Four chains walk from tree to tree. The length is fixed here, so that this page says the same
# every time; left alone, `n_draws="auto"` would run until the chains agree. It may warn that they
# have not converged in so short a time: that is a warning to take seriously, and
# `convergence.py`, next door, is about it.

# %%
model = BayesianTreeClassifier(n_burn_in=100_000, n_draws=400, thin=250, random_state=0)
model.fit(known.data, outcome)
accuracy = model.score(new.data, truth)
best = np.mean(truth == new.target_names[(new.true_probability > 0.5).astype(int)])
print(f"right: {accuracy:.1%} of the new cases; with the true probabilities: {best:.1%}")
assert best - 0.05 < accuracy <= best + 0.01

# %% [markdown]
# No model can be right more often than the true probabilities are. What is left to gain is not
# accuracy on everybody: it is knowing on whom.
#
# ## Two ways not to know
#
# `uncertainty` says for every case how open the outcome is (`entropy`, in nats), and splits that in
# two. *Aleatoric*: such cases end one way or the other, whatever we learn. *Epistemic*: the data do
# not tell yet.

# %%
doubts = model.uncertainty(new.data)
print(doubts[["predicted", "probability", "lower", "upper", "aleatoric", "epistemic"]].head())
np.testing.assert_allclose(doubts["entropy"], doubts["aleatoric"] + doubts["epistemic"])

# %% [markdown]
# Is the epistemic part real? Where it is large, the model should be further from the truth.

# %%
distance = abs(model.predict_proba(new.data)[:, 1] - new.true_probability)
is_ignorant = doubts["epistemic"] > doubts["epistemic"].quantile(0.75)
print(f"off by {distance[is_ignorant].mean():.3f} where it says that it does not know")
print(f"off by {distance[~is_ignorant].mean():.3f} elsewhere")
assert distance[is_ignorant].mean() > 1.3 * distance[~is_ignorant].mean()

# %% [markdown]
# ## What silence buys
#
# Let the model answer the surest cases only. The fewer it answers, the more of its answers are
# right.

# %%
curve = model.accuracy_coverage(new.data, truth)
plt.plot(curve.coverage, curve.accuracy)
plt.xlabel("share of the cases answered")
plt.ylabel("share of the answers that are right")
plt.title("Synthetic trauma cases")
plt.show()
surer_half = curve.accuracy[np.searchsorted(curve.coverage, 0.5)]
print(f"all cases: {accuracy:.1%} right; the surer half: {surer_half:.1%}")
assert surer_half > accuracy + 0.05

# %% [markdown]
# ## A rule for the ward
#
# "Answer only if the probability is at least 0.9." `AbstainingClassifier` is that rule as a
# classifier; where it is not sure it says `None`, and a person decides. (It fits a model of its
# own; `reject_option` asks the same of the one we have.)

# %%
careful = AbstainingClassifier(
    BayesianTreeClassifier(n_burn_in=50_000, n_draws=200, thin=100, random_state=0), threshold=0.9
)
careful.fit(known.data, outcome)
answers = careful.predict(new.data)
is_answered = np.array([answer is not None for answer in answers])
right = np.mean(answers[is_answered] == truth[is_answered])
print(f"answers {is_answered.mean():.0%} of the cases, {right:.1%} of them right")
assert right > 0.9

# %% [markdown]
# Who are the others? Not only those near 0.5: also those where the interval is wide. For each of
# them there is a reason to be read.

# %%
hardest = int(doubts["epistemic"].argmax())
print(model.explain(new.data.iloc[hardest]))

# %% [markdown]
# ## And beyond what was seen
#
# A tree extends its outermost leaf without end, so a patient of 130 years looks as sure as the last
# one inside. One column of `uncertainty` is there for that.

# %%
stranger = new.data.iloc[[0]].assign(age=130)
about_stranger = model.uncertainty(stranger).iloc[0]
print(about_stranger[["predicted", "probability", "is_outside", "outside_in"]])
assert about_stranger["is_outside"]
assert about_stranger["outside_in"] == "age"
