"""Replays dispatch cycles on a virtual clock: what would have fired, when and why. Executes and writes nothing."""
