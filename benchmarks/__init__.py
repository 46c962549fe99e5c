"""Measurements that back the claims in the docs; each module runs by itself."""
