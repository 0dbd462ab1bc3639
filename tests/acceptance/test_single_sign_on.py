"""People come in by the provider of their organisation: a real one in a process of its own, and a real server."""

import json
import re
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.acceptance.installation import Installation, embedded
from tests.acceptance.provider import CLIENT_ID, CLIENT_SECRET
from tests.ports import free_port

_USERS = "from django.contrib.auth.models import User"
DOOR = "/sign-in/127-0-0-1-{port}-o/login/"


def _answers(url: str) -> bool:
    try:
        return httpx.get(url).status_code < 500
    except httpx.TransportError:
        return False


class House:
    """An installation and the provider it trusts."""

    def __init__(self, installation: Installation, site: str, people: Path, door: str):
        self.installation, self.site, self.people, self.door = installation, site, people, door

    def is_at_the_provider(self, **claims: dict[str, Any]) -> None:
        """Say who people are."""
        self.people.write_text(json.dumps(claims))

    @staticmethod
    def browser() -> httpx.Client:
        """Return a browser that nobody has signed in with."""
        return httpx.Client(follow_redirects=True, timeout=30)

    def sign_in(self, name: str, following: str = "/admin/", *, browser: httpx.Client | None = None) -> httpx.Response:
        """Go through the sign-in as a browser does; return the page at its end."""
        with nullcontext(browser) if browser else self.browser() as browser:
            page = browser.get(f"{self.site}{self.door}", params={"next": following})
            token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
            assert token, page.text
            form = {"username": name, "password": "secret", "csrfmiddlewaretoken": token[1]}
            return browser.post(page.url, data=form, headers={"Referer": str(page.url)})

    def python(self, code: str) -> str:
        """Run code in the installation; return what it prints."""
        return self.installation.python(f"import django; django.setup()\n{_USERS}\n{code}")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("sign-in")
    site_port, provider_port = free_port(), free_port()
    site, issuer = f"http://127.0.0.1:{site_port}", f"http://127.0.0.1:{provider_port}/o"
    door = DOOR.format(port=provider_port)
    people = folder / "people.json"
    people.write_text(json.dumps({name: {} for name in ("anna", "bert", "zoe")}))
    settings = {"OIDC_ISSUER": issuer, "OIDC_CLIENT": f"{CLIENT_ID}:{CLIENT_SECRET}", "OIDC_NAME": "Acme"}
    settings["DEBUG"] = "True"  # style sheets need not be collected
    with embedded(folder, settings) as installation:
        installation.manage("migrate")
        callback = f"{site}{door}callback/"
        installation.start("-m", "tests.acceptance.provider", str(provider_port), str(folder), callback)
        serve(installation, site_port)
        installation.wait_until(lambda: _answers(f"{issuer}/.well-known/openid-configuration"), "the provider answers")
        yield House(installation, site, people, door)


@pytest.fixture
def house(installed: House) -> House:
    installed.python("User.objects.all().delete()")
    return installed


def serve(installation: Installation, port: int, **environment: str) -> None:
    """Start a server of the installation and wait until it answers."""
    bind = ("--bind", f"127.0.0.1:{port}", "--threads", "4", "--no-control-socket", "--log-level", "warning")
    installation.start("-m", "gunicorn", "scheduler_project.wsgi", *bind, environment=environment)
    installation.wait_until(lambda: _answers(f"http://127.0.0.1:{port}/admin/login/"), "the server answers")


def test_people_come_in_with_the_roles_that_their_provider_names(house: House) -> None:
    login = httpx.get(f"{house.site}/admin/login/").text
    assert "Sign in with Acme" in login and 'type="password"' in login
    house.is_at_the_provider(
        anna={"sub": "a1", "groups": ["Steward", "Chess club"], "email": "anna@acme.example"},
        bert={"sub": "b1", "groups": ["Chess club"]},
        zoe={"sub": "z1"},
    )
    page = house.sign_in("anna", "/admin/staging/entity/")
    assert page.status_code == 200 and page.url.path == "/admin/staging/entity/", page.text
    assert "/admin/staging/entity/" in page.text and "/socialaccount/" not in page.text
    for name in ("bert", "zoe"):
        refused = house.sign_in(name)
        assert refused.status_code == 403 and "Acme gives you no role here." in refused.text
    who = "print([(u.username, u.is_staff, u.is_superuser,"
    who += " [g.name for g in u.groups.all()], u.has_usable_password()) for u in User.objects.order_by('id')])"
    assert house.python(who).splitlines()[-1] == "[('anna', True, False, ['Steward'], False)]"
    house.is_at_the_provider(anna={"sub": "a1", "groups": "Viewer"})
    assert house.sign_in("anna").status_code == 200
    assert "['Viewer']" in house.python(who)
    house.is_at_the_provider(anna={"sub": "a1", "groups": []})
    assert house.sign_in("anna").status_code == 403


def test_who_loses_the_last_role_at_the_provider_loses_it_here_in_sessions_and_tokens_too(house: House) -> None:
    house.is_at_the_provider(anna={"sub": "a1", "groups": ["Administrator"]})
    with house.browser() as browser:
        assert house.sign_in("anna", browser=browser).status_code == 200
        secret = house.python(
            "from staging.tokens import issue\n"
            "anna = User.objects.get()\n"
            "print(issue(anna, name='t', scopes=['read'], entities=None, by='anna')[1])"
        ).splitlines()[-1]
        headers = {"Authorization": f"Bearer {secret}"}
        pages = [f"{house.site}/admin/staging/entity/", f"{house.site}/api/v1/batches"]
        assert [browser.get(pages[0]).url.path, httpx.get(pages[1], headers=headers).status_code] == [
            "/admin/staging/entity/",
            200,
        ]
        house.is_at_the_provider(anna={"sub": "a1"})
        assert house.sign_in("anna").status_code == 403
        assert house.python("print(list(User.objects.values_list('is_staff', 'groups')))").splitlines()[-1] == (
            "[(False, None)]"
        )
        assert browser.get(pages[0]).url.path == "/admin/login/"
    assert httpx.get(pages[1], headers=headers).status_code == 403
    house.is_at_the_provider(anna={"sub": "a1", "groups": ["Viewer"]})
    assert house.sign_in("anna").status_code == 200


def test_a_name_is_nobodys_proof(house: House) -> None:
    """Whoever has the name, or the address, of a local account or of somebody who left gets an account of his own."""
    house.python("User.objects.create_superuser('anna', 'anna@acme.example', 'x')")
    house.is_at_the_provider(anna={"sub": "a1", "groups": ["Viewer"], "email": "anna@acme.example"})
    assert house.sign_in("anna").status_code == 200
    house.is_at_the_provider(anna={"sub": "a2", "groups": ["Viewer"], "email": "anna@acme.example"})
    assert house.sign_in("anna").status_code == 200
    who = "print([(u.is_superuser, u.groups.count()) for u in User.objects.all()])"
    assert house.python(who).splitlines()[-1] == "[(True, 0), (False, 1), (False, 1)]"
    house.python("User.objects.filter(groups__name='Viewer').update(is_active=False)")
    refused = house.sign_in("anna")
    assert refused.status_code == 403 and "switched off" in refused.text


def test_what_goes_wrong_at_the_provider_is_a_page(house: House) -> None:
    gone = httpx.get(f"{house.site}{house.door}callback/?state=x&code=y", follow_redirects=True)
    assert gone.status_code == 403 and "did not confirm who you are" in gone.text
    port, nobody = free_port(), free_port()
    issuer = f"http://127.0.0.1:{nobody}/o"
    serve(house.installation, port, OIDC_ISSUER=issuer)
    away = httpx.get(f"http://127.0.0.1:{port}{DOOR.format(port=nobody)}")
    assert away.status_code == 403 and "Acme does not answer" in away.text


_SESSIONS = """
from django.test import Client
from django.contrib.sessions.models import Session
host = {"host": "localhost"}
"""


def test_passwords_can_be_switched_off(house: House) -> None:
    """What a password began ends, what the provider confirmed goes on."""
    house.python(
        f"{_SESSIONS}User.objects.create_superuser('root', password='x')\n"
        "assert Client().post('/admin/login/', {'username': 'root', 'password': 'x'}, headers=host).status_code == 302"
    )
    house.is_at_the_provider(anna={"sub": "a1", "groups": ["Viewer"]})
    assert house.sign_in("anna").status_code == 200
    house.installation.environment["LOCAL_ACCOUNTS"] = "False"
    told = house.python(
        f"{_SESSIONS}login = '/admin/login/'; client = Client()\n"
        "page = client.get(login, headers=host).content.decode()\n"
        "client.post(login, {'username': 'root', 'password': 'x'}, headers=host)\n"
        "print('password' in page, '_auth_user_id' in client.session)\n"
        "for session in Session.objects.all():\n"
        "    user = session.get_decoded().get('_auth_user_id')\n"
        "    for name in User.objects.filter(pk=user or 0).values_list('username', flat=True):\n"
        "        client = Client(); client.cookies['sessionid'] = session.session_key\n"
        "        print(name, client.get('/admin/', headers=host).status_code)"
    )
    house.installation.environment["LOCAL_ACCOUNTS"] = "True"
    first, *sessions = told.splitlines()[-3:]
    assert first == "False False" and sorted(sessions) == ["anna 200", "root 302"], told
