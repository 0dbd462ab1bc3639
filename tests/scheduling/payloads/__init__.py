"""What people and programs might send who mean no good, through every door; and what pages may hold afterwards."""
