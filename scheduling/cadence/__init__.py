"""Pure calendar arithmetic: immutable cadences that yield fire times; knows no Django."""
