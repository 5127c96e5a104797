"""`make up`, read and not run."""
