"""What definitions may not ask for yet; each line goes when the batch honours it, and nothing is silently ignored."""

from staging.states import DuplicatePolicy, ImportAction, MergeMode, OnError, ReviewPolicy

# What this release does, by field of an entity or an attribute; other values are known words, but refused.
SUPPORTED: dict[str, frozenset[object]] = {
    "default_import_action": frozenset({ImportAction.UPSERT}),
    "default_merge_mode": frozenset({MergeMode.KEEP_WHEN_BLANK}),
    "duplicates": frozenset(DuplicatePolicy),
    "review": frozenset({ReviewPolicy.AUTO}),
    "max_error_rate": frozenset({None}),
    "keep_history": frozenset({False}),
    "merge_mode": frozenset({"", MergeMode.KEEP_WHEN_BLANK}),
    "on_error": frozenset({OnError.REJECT_ROW}),
}


def unsupported(field: str, value: object) -> str:
    """Return the sentence that refuses a value this release does not carry out; empty when it does."""
    if field not in SUPPORTED or value in SUPPORTED[field]:
        return ""
    words = [getattr(word, "value", word) for word in SUPPORTED[field]]
    allowed = ", ".join(sorted(repr(word) for word in words if word is not None and word is not False and word != ""))
    mend = f"use {allowed}" if allowed else "leave it out"
    return f"{getattr(value, 'value', value)!r} is not supported yet; {mend}."
