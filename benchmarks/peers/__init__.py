"""Other packages that sample trees, each in a process and an environment of its own.

A module here that bears a package's name runs inside that package's environment
(``python -m benchmarks.peers.NAME``), so it may import the package, numpy, and `worker`.
"""
