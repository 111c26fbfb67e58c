"""Browsers that register and log in over HTTP, and what a Set-Cookie header says."""

from http.cookies import Morsel, SimpleCookie
from uuid import uuid4

import httpx

PASSWORD = "correct horse 1"


def new_email() -> str:
    return f"noura.{uuid4().hex}@example.com"


def send(url: str, path: str, email: str, password: str = PASSWORD, **headers: str) -> httpx.Response:
    """A registration or a login, from no page in particular."""
    return httpx.post(url + path, json={"email": email, "password": password}, headers=headers, timeout=30)


def registered(url: str, email: str | None = None, **headers: str) -> httpx.Response:
    answer = send(url, "/auth/register", email or new_email(), **headers)
    assert answer.status_code == 201, answer.text
    return answer


def cookie_of(answer: httpx.Response) -> Morsel[str]:
    """The one cookie that an answer sets."""
    (line,) = answer.headers.get_list("set-cookie")
    (cookie,) = SimpleCookie(line).values()
    return cookie


def page(url: str, cookie: str) -> httpx.Client:
    """A page of the dashboard with this session cookie."""
    return httpx.Client(base_url=url, headers={"Cookie": f"masker_session={cookie}", "Origin": url}, timeout=30)


def told(answer: httpx.Response) -> tuple[int, object]:
    """Its status and its body."""
    return answer.status_code, answer.json()
