"""Start-up checks: combinations of settings that cannot keep the promises are refused with a hint."""
