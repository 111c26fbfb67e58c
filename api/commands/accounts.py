"""`masker account` and `masker key`: what operators change in the database."""

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated
from uuid import UUID, uuid4

import typer

from api.commands.console import Json, load, printable, show, stop, stores, table

if TYPE_CHECKING:
    from storage.tables import Account

account = typer.Typer(help="Create accounts and add tokens to them.", no_args_is_help=True)
key = typer.Typer(
    help="Mint and revoke bearer keys; bring what is stored under a new master key.", no_args_is_help=True
)

Email = Annotated[str, typer.Option("--email", help="The account's e-mail address.")]


@account.command("create")
def create_account(
    email: Email,
    password: Annotated[str | None, typer.Option(help="8 to 1024 characters; others can see it while it runs.")] = None,
    password_stdin: Annotated[bool, typer.Option("--password-stdin", help="Read it from standard input.")] = False,
    paid_tokens: Annotated[int, typer.Option(min=0, help="Paid tokens to begin with.")] = 0,
    created_at: Annotated[str | None, typer.Option(help="An earlier moment of creation, ISO 8601.")] = None,
    as_json: Json = False,
) -> None:
    """Create an account. Without a password it is asked for, or generated and printed."""
    from schemas.clock import utc_now
    from storage.accounts import records as accounts
    from storage.accounts.passwords import generate_password, hash_password

    settings = load()
    moment = None if created_at is None else _moment(created_at)
    given = _password(password, password_stdin, ask=sys.stdin.isatty() and not as_json)
    chosen = generate_password() if given is None else given
    with stores(settings) as storage, storage.database.transaction() as session:
        row = accounts.create(
            session,
            email=email,
            password_hash=hash_password(chosen),
            now=utc_now(),
            paid_tokens=paid_tokens,
            created_at=moment,
        )
    answer: dict[str, object] = {"account_id": str(row.id), "email": row.email}
    show(answer if given is not None else {**answer, "password": chosen}, as_json=as_json)


@account.command("list")
def list_accounts(as_json: Json = False) -> None:
    """List all accounts with what they can spend."""
    from schemas.clock import utc_now
    from storage import ledger
    from storage.accounts import records as accounts

    settings, now = load(), utc_now()
    with stores(settings) as storage, storage.database.reading() as session:
        rows: list[dict[str, object]] = []
        for row in accounts.every(session):
            balance = ledger.balance(session, row.id, free_per_day=settings.free_tokens_per_day, now=now)
            rows.append(
                {
                    "account_id": str(row.id),
                    "email": row.email,
                    "created_at": row.created_at.isoformat(),
                    "free_tokens": balance.free_tokens,
                    "paid_tokens": balance.paid_tokens,
                }
            )
    if as_json:
        show({"accounts": rows}, as_json=True)
        return
    head = ("account_id", "email", "created_at", "free_tokens", "paid_tokens")
    table(head, ([str(row[name]) for name in head] for row in rows))


@account.command("credit")
def credit_account(
    email: Email,
    tokens: Annotated[int, typer.Option(min=1, help="Paid tokens to add.")],
    as_json: Json = False,
) -> None:
    """Add paid tokens: an entry in the ledger."""
    from schemas.clock import utc_now
    from storage import ledger
    from storage.accounts import records as accounts

    settings, now = load(), utc_now()
    with stores(settings) as storage, storage.database.transaction() as session:
        account_id = _known(accounts.by_email(session, email))
        ledger.credit(session, account_id, tokens, reference=f"credit:{uuid4()}", now=now)
        balance = ledger.balance(session, account_id, free_per_day=settings.free_tokens_per_day, now=now)
    show({"account_id": str(account_id), "paid_tokens": balance.paid_tokens}, as_json=as_json)


@key.command("create")
def create_key(
    email: Email,
    name: Annotated[str, typer.Option(help="What the key is for.")] = "key",
    judge_allowed: Annotated[bool, typer.Option("--judge-allowed", help="Let its calls ask for the judge.")] = False,
    as_json: Json = False,
) -> None:
    """Create a bearer key and print it; it is shown only once."""
    from schemas.clock import utc_now
    from storage.accounts import keys
    from storage.accounts import records as accounts

    with stores(load()) as storage, storage.database.transaction() as session:
        account_id = _known(accounts.by_email(session, email))
        pepper = keys.pepper(session, storage.keyring)
        row, bearer = keys.mint(
            session, pepper, account_id=account_id, name=name, judge_allowed=judge_allowed, now=utc_now()
        )
    show({"key_id": str(row.id), "key": bearer}, as_json=as_json)


@key.command("list")
def list_keys(email: Email, as_json: Json = False) -> None:
    """List the keys of an account, revoked ones too. Secrets are never shown again."""
    from storage.accounts import keys
    from storage.accounts import records as accounts

    with stores(load()) as storage, storage.database.reading() as session:
        found = keys.of_account(session, _known(accounts.by_email(session, email)))
        rows: list[dict[str, object]] = [
            {
                "key_id": str(row.id),
                "prefix": f"mk_live_{row.prefix}",
                "created_at": row.created_at.isoformat(),
                "last_used_at": row.last_used_at and row.last_used_at.isoformat(),
                "revoked_at": row.revoked_at and row.revoked_at.isoformat(),
                "judge_allowed": row.judge_allowed,
                "name": row.name,
            }
            for row in found
        ]
    if as_json:
        show({"keys": rows}, as_json=True)
        return
    head = ("key_id", "prefix", "created_at", "last_used_at", "revoked_at", "judge_allowed", "name")
    table(head, ([printable("-" if row[name] is None else str(row[name])) for name in head] for row in rows))


@key.command("rotate")
def rotate_master_key(as_json: Json = False) -> None:
    """Seal everything under the current master key, while the service runs; run it again until nothing is waiting.

    Set the new MASKER_MASTER_KEY, put the old one into MASKER_PREVIOUS_MASTER_KEYS, restart every process, then rotate.
    """
    from storage.rotation import rotate

    with stores(load()) as storage:
        rotated = rotate(storage)
    show(rotated._asdict(), as_json=as_json)


@key.command("revoke")
def revoke_key(key_id: Annotated[str, typer.Argument(help="The key's id.")], as_json: Json = False) -> None:
    """Revoke a key. Nobody can open its envelopes afterwards."""
    from schemas.clock import utc_now
    from schemas.errors import KeyNotFound
    from schemas.ids import parse_id
    from storage.accounts import keys

    try:
        id_ = parse_id(key_id)
    except ValueError:
        stop("no such key")
    try:
        with stores(load()) as storage, storage.database.transaction() as session:
            keys.revoke(session, id_, utc_now())
    except KeyNotFound:
        stop("no such key")
    show({"key_id": str(id_), "revoked": True}, as_json=as_json)


def _known(account: "Account | None") -> UUID:
    if account is None:
        stop("no account has this e-mail address")
    return account.id


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # OverflowError: in UTC it is before the year 1, or after 9999
        stop("--created-at: not an ISO 8601 moment", 2)


def _password(given: str | None, from_stdin: bool, *, ask: bool) -> str | None:
    if given is not None and from_stdin:
        stop("--password and --password-stdin exclude each other", 2)
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if given is None and ask:
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    return given
