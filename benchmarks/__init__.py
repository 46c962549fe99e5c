"""Measurements that back the claims in the docs: ``python -m benchmarks list``."""
