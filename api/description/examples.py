"""Examples of requests and answers by operation. All persons are invented. Tests send each example to a server."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from schemas.entities import CATALOG, CORE_TYPES, TOGGLABLE_TYPES, Group

Examples: TypeAlias = Mapping[tuple[str, str], dict[str, Any]]

ENGLISH = "I am Noura Salem Almithali, national ID 1058374925."
ARABIC = "رقم الهوية ١٠٥٨٣٧٤٩٢٥ والجوال ٠٥٠١٢٣٤٥٦٧"
_ACCOUNT = "5f0c2b1e-7a44-4e0b-9d6f-3a1c8e5b7d20"
_GLOSSARY = "b3a9d5c2-0f6e-4c1d-8a77-91e2f4d6c850"
_KEY = "0d8e6f4a-2c1b-4b7e-a5d9-6f3c1e0b8a92"
_FILE = "9c4f1a7e-3b2d-4d8c-b6e5-0a7f2d1c9e84"
_TIMES = {"created_at": "2026-11-21T08:00:00Z", "updated_at": "2026-11-21T08:00:00Z"}
_ENTRY = {
    "term": "Project Zephyr", "entity_type": "CUSTOM_TERM", "match_mode": "word_boundary", "case_sensitive": False,
    "locale": None,
}  # fmt: skip
_GLOSSARY_OBJECT = {"id": _GLOSSARY, "name": "Projects", "enabled": True, "entries": [_ENTRY], **_TIMES}
_KEY_ROW = {
    "id": _KEY, "name": "billing service", "prefix": "k3v9q2m7x1ab", "judge_allowed": False,
    "created_at": "2026-11-21T08:00:00Z", "last_used_at": None, "revoked_at": None,
}  # fmt: skip
_CREDENTIALS = {"email": "noura@example.com", "password": "correct horse battery staple"}
_JOB = {
    "file_id": _FILE, "state": "ready", "original_filename": "payroll.csv", "content_type": "text/csv",
    "size_bytes_in": 2048, "size_bytes_out": 1893, "word_count": 180, "entity_count": 42,
    "created_at": "2026-11-21T08:00:00Z", "processed_at": "2026-11-21T08:00:03Z", "expires_at": "2026-11-22T08:00:00Z",
    "is_persisted": False, "error_code": None, "reason": None, "remedy": None,
    "download_url": f"/api/v1/files/{_FILE}/download",
    "poll_url": f"/api/v1/files/{_FILE}", "stage": None, "progress": 1.0, "pages_to_read": 0,
    "pages_read": 0,
}  # fmt: skip
_CORE = [type_.value for type_ in CORE_TYPES]
_CATALOG = [
    {"type": row.type.value, "group": row.group.value, "default_on": row.group is Group.CORE}
    for row in CATALOG
    if row.type in TOGGLABLE_TYPES
]
_ENTITIES = {
    "enabled": ["PERSON", "NATIONAL_ID", "IP_ADDRESS"],
    "is_default": False,
    "min_score": 0.0,
    "catalog": _CATALOG,
}
_OVERRIDE = {"key_id": _KEY, "override": ["PERSON", "IBAN"], "effective": ["PERSON", "IBAN"]}
_ENVELOPE = {
    "ciphertext": "9tjbTBRfKC2iVal5dJXS0S126JaQ2WWbQqu6PDbl5hzczUa4eQh26X1jd5ZzunK+uawoou6MhcyOoITm",
    "nonce_payload": "uqxbAVEz7AerNrC4",
    "wrapped_dek": "SNrbStv+ZognuachEsVJTcLbBmDdYzfWeC0wED1o/6OAd6YOg+rUUt0fJXqqfYqY",
    "nonce_dek": "egduAvJXBWmPRL8r",
}
_QUIET = {"judge_used": False, "judge_model": None}

_MODEL = {"anthropic": "claude-sonnet-4-5", "openai": "gpt-5.1"}
_QUESTION = [{"role": "user", "content": f"{ENGLISH} Greet me by name."}]
_GREETING = "Hello Noura Salem Almithali!"

REQUESTS: Examples = {
    ("POST", "/api/v1/proxy/anthropic/v1/messages"): {
        "English": {"model": _MODEL["anthropic"], "max_tokens": 200, "messages": _QUESTION}
    },
    ("POST", "/api/v1/proxy/openai/v1/chat/completions"): {
        "English": {"model": _MODEL["openai"], "messages": _QUESTION}
    },
    ("POST", "/api/v1/mask"): {
        "English": {"text": ENGLISH},
        "Arabic": {"text": ARABIC, "glossary": ["مشروع زفير"]},
        "own key": {"text": ENGLISH, "key": "CBYkMkBOXGp4hpSisL7M2uj2BBIgLjxKWGZ0gpCerLo="},
    },
    ("POST", "/api/v1/redact"): {
        "Arabic": {"text": ARABIC},
        "generalized": {
            "text": "Noura Salem Almithali moved to Riyadh on 17 March 2024.",
            "transforms": {"DATE_TIME": "generalize"},
        },
    },
    ("POST", "/api/v1/mask/batch"): {"two texts": {"items": [{"text": ENGLISH}, {"text": ARABIC}]}},
    ("POST", "/api/v1/redact/batch"): {"two texts": {"items": [{"text": ENGLISH}, {"text": ARABIC}]}},
    ("POST", "/v1/glossaries"): {"projects": {"name": "Projects", "entries": [{"term": "Project Zephyr"}]}},
    ("PATCH", "/v1/glossaries/{glossary_id}"): {"switch off": {"enabled": False}},
    ("PATCH", "/v1/glossaries/{glossary_id}/entries"): {
        "replace": {"entries": [{"term": "زفير", "match_mode": "exact", "locale": "ar"}]}
    },
    ("PUT", "/me/entities"): {
        "three types": {"enabled": ["PERSON", "NATIONAL_ID", "IP_ADDRESS"]},
        "a least score": {"enabled": ["PERSON", "NATIONAL_ID", "IP_ADDRESS"], "min_score": 0.5},
    },
    ("PUT", "/v1/keys/{key_id}/entities"): {
        "two types": {"override": ["PERSON", "IBAN"]},
        "inherit": {"override": None},
    },
    ("POST", "/v1/keys"): {"new key": {"name": "billing service"}},
    ("PATCH", "/v1/keys/{key_id}"): {"rename": {"name": "billing service"}},
    ("POST", "/auth/register"): {"new account": _CREDENTIALS},
    ("POST", "/auth/login"): {"login": _CREDENTIALS},
}

_BALANCE = {"free_tokens": 9988, "paid_tokens": 50000, "free_resets_at": "2026-11-21T21:00:00Z"}
_MASKED = {
    "masked_text": "I am <MASKED_PERSON_0bba44e0>, national ID <MASKED_NATIONAL_ID_77a4fba2>.",
    **_ENVELOPE,
    "pii_count": 2,
    "spans": [{"start": 5, "end": 26, "type": "PERSON"}, {"start": 40, "end": 50, "type": "NATIONAL_ID"}],
    "request_id": "mask_29bcd895",
    "processing_time_ms": 4,
    **_QUIET,
    "mappings": None,
}
_REDACTED = {
    "redacted_text": "رقم الهوية NATIONAL_ID_01 والجوال PHONE_01",
    "pii_count": 2,
    "entity_counts": {"NATIONAL_ID": 1, "PHONE": 1},
    "generalized_count": 0,
    "request_id": "redact_6169a263",
    "processing_time_ms": 3,
    **_QUIET,
}
_ITEM_ERROR = {"status": 404, "detail": "Glossary not found"}

ANSWERS: Examples = {
    ("POST", "/api/v1/proxy/anthropic/v1/messages"): {
        "English": {
            "id": "msg_01XFDUDYJgAACzvnptvVoYEL",
            "type": "message",
            "role": "assistant",
            "model": _MODEL["anthropic"],
            "content": [{"type": "text", "text": _GREETING}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 41, "output_tokens": 17},
        }
    },
    ("POST", "/api/v1/proxy/openai/v1/chat/completions"): {
        "English": {
            "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
            "object": "chat.completion",
            "created": 1763712000,
            "model": _MODEL["openai"],
            "choices": [{"index": 0, "message": {"role": "assistant", "content": _GREETING}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 41, "completion_tokens": 17, "total_tokens": 58},
        }
    },
    ("GET", "/api/v1/proxy/status"): {
        "available": {
            "proxy": {"available": True, "providers": ["anthropic", "openai"]},
            "managed_demo": {"available": False},
        }
    },
    ("POST", "/api/v1/mask/batch"): {"an answer and an error": {"results": [_MASKED, _ITEM_ERROR]}},
    ("POST", "/api/v1/redact/batch"): {"an answer and an error": {"results": [_REDACTED, _ITEM_ERROR]}},
    ("POST", "/api/v1/mask"): {"English": _MASKED},
    ("POST", "/api/v1/redact"): {
        "Arabic": _REDACTED,
        "generalized": {
            "redacted_text": "PERSON_NAME_01 moved to Riyadh on March 2024.",
            "pii_count": 2,
            "entity_counts": {"PERSON_NAME": 1, "DATE": 1},
            "generalized_count": 1,
            "request_id": "redact_0c97c411",
            "processing_time_ms": 3,
            **_QUIET,
        },
    },
    ("POST", "/api/v1/files/redact"): {
        "queued": {key: _JOB[key] for key in ("file_id", "created_at", "expires_at", "poll_url")} | {"state": "queued"}
    },
    ("GET", "/api/v1/files"): {"one file": {"files": [_JOB], "next_cursor": None}},
    ("GET", "/api/v1/files/{file_id}"): {
        "ready": _JOB,
        "at work": {
            **_JOB,
            "state": "processing",
            "size_bytes_out": None,
            "word_count": None,
            "entity_count": None,
            "processed_at": None,
            "download_url": None,
            "stage": "ocr",
            "progress": 0.4,
            "pages_to_read": 12,
            "pages_read": 5,
        },
    },
    ("POST", "/api/v1/files/{file_id}/pin"): {"pinned": {**_JOB, "is_persisted": True}},
    ("POST", "/api/v1/files/{file_id}/unpin"): {"not pinned": _JOB},
    ("GET", "/v1/glossaries"): {"one glossary": [_GLOSSARY_OBJECT]},
    ("POST", "/v1/glossaries"): {"projects": _GLOSSARY_OBJECT},
    ("GET", "/v1/glossaries/{glossary_id}"): {"projects": _GLOSSARY_OBJECT},
    ("PATCH", "/v1/glossaries/{glossary_id}"): {"switched off": {**_GLOSSARY_OBJECT, "enabled": False}},
    ("PATCH", "/v1/glossaries/{glossary_id}/entries"): {
        "replaced": {
            **_GLOSSARY_OBJECT,
            "entries": [{**_ENTRY, "term": "زفير", "match_mode": "exact", "locale": "ar"}],
        }
    },
    ("GET", "/me/entities"): {"default": {"enabled": _CORE, "is_default": True, "min_score": 0.0, "catalog": _CATALOG}},
    ("PUT", "/me/entities"): {"three types": _ENTITIES},
    ("GET", "/v1/keys/{key_id}/entities"): {"inherits": {"key_id": _KEY, "override": None, "effective": _CORE}},
    ("PUT", "/v1/keys/{key_id}/entities"): {
        "two types": _OVERRIDE,
        "inherit": {"key_id": _KEY, "override": None, "effective": _CORE},
    },
    ("GET", "/v1/keys"): {"one key": [_KEY_ROW]},
    ("POST", "/v1/keys"): {
        "new key": {**_KEY_ROW, "key": "mk_live_k3v9q2m7x1ab_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"}
    },
    ("PATCH", "/v1/keys/{key_id}"): {"renamed": _KEY_ROW},
    ("POST", "/auth/register"): {"new account": {"account_id": _ACCOUNT, "email": "noura@example.com"}},
    ("POST", "/auth/login"): {"login": {"account_id": _ACCOUNT, "email": "noura@example.com"}},
    ("GET", "/api/v1/balance"): {"balance": _BALANCE},
    ("GET", "/me"): {
        "profile": {
            "account_id": _ACCOUNT,
            "email": "noura@example.com",
            "created_at": "2026-11-01T08:00:00Z",
            "balance": _BALANCE,
        }
    },
    ("GET", "/me/usage"): {
        "one day": {"days": [{"day": "2026-11-21", "tokens": 12, "calls": 2, "entities": {"PERSON": 2}}]}
    },
    ("GET", "/me/ledger"): {
        "one call": {
            "entries": [
                {
                    "id": "1024",
                    "kind": "charge",
                    "reason": "text",
                    "free_tokens": -12,
                    "paid_tokens": 0,
                    "created_at": "2026-11-21T08:00:00Z",
                }
            ],
            "next_cursor": None,
        }
    },
    ("GET", "/api/v1/health"): {"alive": {"status": "ok", "version": "0.1.0"}},
    ("GET", "/api/v1/health/ready"): {
        "ready": {"status": "ok", "checks": {"database": "ok", "broker": "ok", "object_store": "ok"}}
    },
}
