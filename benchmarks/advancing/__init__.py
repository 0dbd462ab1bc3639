"""What the workers of benchmarks/advance.py run: an empty task, ours and Celery's own."""
