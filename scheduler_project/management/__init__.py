"""Commands of Django that keep a promise of ours; `scheduler_project` comes first among the apps to be found first."""
