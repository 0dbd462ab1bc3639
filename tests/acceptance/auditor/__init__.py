"""The auditor of crash matrices and soaks: watches the tables and asks afterwards; shares no code with the engine."""
