"""The rules of merging as a slow model, and generated tests that compare it with the pipeline."""
