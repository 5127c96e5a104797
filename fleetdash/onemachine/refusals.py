"""What stops a command: one clear sentence for the person who typed it."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Refusal(Exception):
    """One sentence that says what is wrong and what to do; the command exits non-zero."""


def sentence_for(error: OSError, folder: Path) -> str:
    """Put the system's error into the words of the data folder it happened in."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return f"The disk of {folder} is full: free some space and start again."
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return f"The data folder {folder} cannot be written: {error.strerror}."
        case errno.ENOTDIR | errno.EEXIST:
            return f"The data folder {folder} is not a folder."
        case _:
            return f"The data folder {folder} cannot be used: {error}."


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn what the file system refuses into one sentence about `folder`."""
    try:
        yield
    except OSError as error:
        raise Refusal(sentence_for(error, folder)) from error
