"""Files and functions stay small enough to read at once."""

from tests.house.source import all_files, functions, place, product_files

FILE_LINES = 400
FUNCTION_LINES = 40


def test_no_file_is_longer_than_400_lines():
    long = {
        place(path): lines
        for path in all_files()
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > FILE_LINES
    }
    assert not long, f"Split these by what they are for (lines): {long}"


def test_no_function_is_longer_than_40_lines():
    long = {
        f"{place(path, function)} {function.name}": lines
        for path in product_files()
        for function in functions(path)
        if (lines := function.end_lineno - function.lineno + 1) > FUNCTION_LINES
    }
    assert not long, f"Give the steps of these names of their own (lines): {long}"
