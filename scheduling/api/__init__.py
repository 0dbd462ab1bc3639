"""The REST API's addresses of scheduling."""
