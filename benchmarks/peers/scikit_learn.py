"""scikit-learn's forests, plain baselines: they make no moves."""

from __future__ import annotations

from sklearn import ensemble

from benchmarks.peers.worker import Peer, Prediction, Settings, Table, serve


class ScikitLearn(Peer):
    """`estimator` among the settings is the name of the class."""

    def classify(self, table: Table, settings: Settings) -> Prediction:
        make = getattr(ensemble, settings["estimator"])
        model = make(random_state=settings["seed"]).fit(table.X, table.y)
        return Prediction(model.predict_proba(table.X_new))


if __name__ == "__main__":
    serve(ScikitLearn())
