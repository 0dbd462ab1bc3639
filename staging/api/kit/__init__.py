"""What all addresses of the REST API share: who calls, what comes in, what goes out, and what goes wrong."""
