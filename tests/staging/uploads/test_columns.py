"""Columns of a file find their staged columns by name, by memory, or by their place."""

import pytest

from staging.errors import BadFile
from staging.models import Entity
from staging.uploads.columns import check_mapping, is_correction, remember_mapping, suggest, targets, unknown
from tests.staging.batches.bench import define, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def branch() -> Entity:
    return define("branch", text("opened_on"), text("old", is_cancelled=True), text("staff"))


def test_only_what_deliverers_fill_can_be_filled(branch: Entity) -> None:
    assert targets(branch) == ["code", "name", "opened_on", "staff", "new_code", "import_action", "batch_tag"]


def test_names_are_matched_as_people_write_them_and_never_twice(branch: Entity) -> None:
    found = suggest(branch, ["Code", "Opened On", "opened-on", "id", "import_status", "what?"])
    assert found == {
        "Code": "code",
        "Opened On": "opened_on",
        "opened-on": "",
        "id": "",
        "import_status": "",
        "what?": "",
    }
    assert unknown(branch, found) == ["opened-on", "id", "import_status", "what?"]


def test_without_names_the_place_decides(branch: Entity) -> None:
    assert list(suggest(branch, ["Column 1", "Column 2", "Column 3"]).values()) == ["code", "name", "opened_on"]


def test_a_choice_is_remembered_for_the_next_file_also_that_a_column_is_left_out(branch: Entity) -> None:
    remember_mapping(branch, {"Key": "code", "People": "staff", "Junk": ""})
    remember_mapping(branch, {"Key": "code", "Other": ""})
    assert suggest(branch, ["People", "Junk", "Key"]) == {"People": "staff", "Junk": "", "Key": "code"}
    assert unknown(branch, {"Junk": "", "New": ""}) == ["New"]


def test_a_remembered_column_that_is_gone_goes_nowhere(branch: Entity) -> None:
    remember_mapping(branch, {"Key": "code", "People": "staff"})
    branch.attributes.filter(name="staff").update(is_cancelled=True)
    assert suggest(branch, ["People"]) == {"People": ""}


@pytest.mark.parametrize(
    ("mapping", "says"),
    [
        ({"a": "code", "b": "code"}, "More than one column is to go into 'code': 'a', 'b'"),
        ({"a": "name"}, "No column of the file goes into 'code'"),
        ({"a": "code", "b": "import_status"}, "no column 'import_status'"),
        ({"a": "code", "b": 'x"; DROP TABLE'}, "no column"),
    ],
)
def test_a_mapping_that_cannot_work_is_refused(branch: Entity, mapping: dict[str, str], says: str) -> None:
    with pytest.raises(BadFile, match=says):
        check_mapping(branch, mapping)


def test_our_own_export_of_rejected_rows_is_known_by_its_two_columns() -> None:
    assert is_correction(["row_id", "row_check", "code"])
    assert not is_correction(["row_id", "code"])
