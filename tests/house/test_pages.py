"""Every page of the admin goes through one kit, so that no page forgets who may open it or what it must show."""

import ast

from tests.house.source import place, product_files, tree

KIT = "staging/pages.py"
BY_HAND = {
    "each_context": "staging.pages.shown",
    "HttpResponseNotAllowed": "staging.pages.page(methods=...)",
    "PermissionDenied": "staging.pages.page or insist",
    "require_GET": "staging.pages.page",
    "require_POST": "staging.pages.page(methods=DO)",
    "require_safe": "staging.pages.page",
    "require_http_methods": "staging.pages.page(methods=...)",
}


def made_by_hand(node: ast.AST) -> str:
    """Return what a page should take from the kit instead; empty for nothing."""
    name = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "name", None)
    if isinstance(node, ast.Attribute | ast.Name | ast.alias) and name in BY_HAND:
        return f"{name}: take {BY_HAND[name]}"
    if isinstance(node, ast.arg) and node.arg == "model_admin":
        named = ast.unparse(node.annotation) if node.annotation else "Any"
        return "model_admin: say which, ModelAdmin[Run]" if named in ("Any", "object") else ""
    if isinstance(node, ast.ClassDef):
        own = {method.name for method in node.body if isinstance(method, ast.FunctionDef)}
        if "get_urls" in own:
            return "get_urls: name the addresses in PagesAdmin.pages"
    return ""


def test_no_page_is_made_by_hand():
    strangers = [
        f"{place(path, node)} {why}"
        for path in product_files()
        if place(path) != KIT
        for node in ast.walk(tree(path))
        if (why := made_by_hand(node))
    ]
    assert not strangers, f"Every page goes through {KIT}: {strangers}"


def test_the_rule_catches_each_of_them():
    sources = (
        "context = {**site.each_context(request)}",
        "from django.core.exceptions import PermissionDenied",
        "return_ = HttpResponseNotAllowed(['GET'])",
        "require_POST(view)",
        "def view(model_admin: Any, request): pass",
        "class JobAdmin(ModelAdmin):\n    def get_urls(self): pass",
    )
    for source in sources:
        assert any(made_by_hand(node) for node in ast.walk(ast.parse(source))), source


def test_the_rule_lets_a_page_of_the_kit_pass():
    source = "@page('view')\ndef view(model_admin: ModelAdmin[Run], request): return shown(model_admin, request, '')"
    assert not any(made_by_hand(node) for node in ast.walk(ast.parse(source)))
