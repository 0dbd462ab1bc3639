"""Files and functions stay small enough to read at once."""

from collections import Counter

from tests.house.source import all_files, functions, place, product_files

FILE_LINES = 400
FUNCTION_LINES = 40
PACKAGE_MODULES = 15
_AS_DJANGO_WANTS = "/management/commands/", "/migrations/"


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


def test_no_package_has_more_than_15_modules():
    modules = Counter(
        place(path).rpartition("/")[0]
        for path in product_files()
        if path.name != "__init__.py" and not any(folder in place(path) for folder in _AS_DJANGO_WANTS)
    )
    many = {package: count for package, count in modules.items() if count > PACKAGE_MODULES}
    assert not many, f"Join what is one thought, or give a part a package of its own (modules): {many}"
