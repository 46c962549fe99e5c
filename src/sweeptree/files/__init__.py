"""Models in files: one compressed file of plain arrays, checked in full before it is used."""

from sweeptree.files.errors import ModelFileError
from sweeptree.files.model_file import MAX_BYTES, read_model, save

__all__ = ["MAX_BYTES", "ModelFileError", "read_model", "save"]
