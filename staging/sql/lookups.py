"""Lets a number that no column can hold be found nowhere, also among others: Django knows that of one alone.

A form asks for all the keys that were sent at once, and SQLite refuses to be asked for one of four hundred digits.
"""

from typing import Any

from django.db.models import IntegerField
from django.db.models.lookups import In


@IntegerField.register_lookup
class InReach(In):
    """`in` of whole numbers, without those that are beyond the column; none is left: nothing is found."""

    def process_rhs(self, compiler: Any, connection: Any) -> Any:
        """Return the values as the statement has them."""
        if self.rhs_is_direct_value():
            lowest, highest = connection.ops.integer_field_range(self.lhs.output_field.get_internal_type())
            self.rhs = [each for each in self.rhs if not isinstance(each, int) or lowest <= each <= highest]
        return super().process_rhs(compiler, connection)
