"""API_KEY: secrets with the prefix of their issuer; not publishable keys, account ids, JWTs or hashes.

Shapes: the public rule sets of secret scanners (gitleaks, trufflehog, kingfisher), as of 2026.
"""

import re
from collections.abc import Iterator

from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.text.normalize import NormalizedText
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_END = r"(?![A-Za-z0-9])"
_WORD = r"[A-Za-z0-9_\-]"

# The form of a key by section of lexicons/secrets.txt, which holds the prefixes. Case-sensitive.
_SHAPES: dict[str, str] = {
    "openai": rf"sk-(?:(?:proj|svcacct|admin|None)-{_WORD}{{20,200}}|or-v1-[0-9a-f]{{64}}"
    r"|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"
    r"|ant-[a-z0-9]{3,12}-[A-Za-z0-9_\-]{20,120}|lf-[0-9a-f\-]{36}|[a-z0-9]{32}|[A-Za-z0-9]{40,64})",
    "aws": r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
    "bedrock": r"ABSK[A-Za-z0-9+/]{60,200}={0,2}",
    "google": rf"AIza{_WORD}{{35}}",
    "google_oauth": rf"(?:GOCSPX-{_WORD}{{28}}|ya29\.{_WORD}{{20,400}})",
    "github": r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})",
    "gitlab": r"(?:glpat|gldt|glrt|glptt|glcbt|glft|glsoat|gloas|glimt|glagent|glffct)-[A-Za-z0-9_\-.]{20,300}",
    "slack": r"xox[abeoprs]-(?=[A-Za-z\-]{0,40}\d)(?:\d-)?[A-Za-z0-9\-]{10,250}",
    "slack_app": r"xapp-\d-[A-Za-z0-9\-]{10,250}",
    "stripe": r"(?:sk|rk)_(?:test|live|prod)_[A-Za-z0-9]{10,247}",
    "webhook": r"whsec_[A-Za-z0-9+/=]{24,100}",
    "own": r"mk_live_[a-z0-9]{4,32}_[A-Za-z0-9\-]{20,64}",
    "twilio": r"SK[0-9a-f]{32}",
    "sendgrid": r"SG\.[A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{32,64}",
    "mailgun": r"key-[0-9a-f]{32}",
    "npm": r"npm_[A-Za-z0-9]{36}",
    "pypi": rf"pypi-AgE[A-Za-z]{{1,3}}[A-Za-z0-9]{{4,12}}{_WORD}{{50,1000}}",
    "rubygems": r"rubygems_[0-9a-f]{48}",
    "huggingface": r"(?:hf_|api_org_)[A-Za-z0-9]{34,40}",
    "digitalocean": r"do[opr]_v1_[0-9a-f]{64}",
    "shopify": r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    "groq": r"gsk_[A-Za-z0-9]{40,64}",
    "xai": r"xai-[A-Za-z0-9]{60,100}",
    "replicate": r"r8_[A-Za-z0-9]{37,40}",
    "perplexity": r"pplx-[A-Za-z0-9]{40,64}",
    "linear": r"lin_api_[A-Za-z0-9]{32,48}",
    "notion": r"(?:ntn_\d{11}[A-Za-z0-9]{32,40}|secret_[A-Za-z0-9]{43})",
    "databricks": r"dapi[0-9a-f]{32}(?:-\d)?",
    "square": rf"(?:sq0(?:atp|csp)-{_WORD}{{22,60}}|EAAA{_WORD}{{56,64}})",
    "postman": r"PMAK-[0-9a-fA-F]{24}-[0-9a-fA-F]{34}",
    "vault": rf"hv[sb]\.{_WORD}{{24,300}}",
    "planetscale": r"pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.\-=]{32,64}",
    "grafana": r"(?:glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2})",
    "doppler": r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_\-.]{40,64}",
    "sentry": r"sntry[su]_[A-Za-z0-9+/=_\-]{40,400}",
    "typeform": r"tfp_[A-Za-z0-9_\-.=]{40,64}",
    "brevo": r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}",
    "onepassword": r"(?:A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"
    r"|ops_eyJ[A-Za-z0-9+/=]{200,400})",
    "age": r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
    "alibaba": r"LTAI[A-Za-z0-9]{17,24}",
    "flutterwave": r"FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,40}(?:-X)?",
    "duffel": rf"duffel_(?:test|live)_{_WORD}{{40,50}}",
    "shippo": r"shippo_(?:test|live)_[0-9a-f]{40}",
    "readme": r"rdme_[a-z0-9]{60,80}",
    "pulumi": r"pul-[0-9a-f]{40}",
    "clojars": r"CLOJARS_[A-Za-z0-9]{60}",
    "octopus": r"API-[A-Z0-9]{25,29}",
    "atlassian": r"ATATT3[A-Za-z0-9_\-=]{100,250}",
    "openshift": rf"sha256~{_WORD}{{43}}",
    "netlify": r"nfp_[A-Za-z0-9]{36,40}",
    "vercel": r"vercel_[A-Za-z0-9]{24,40}",
    "supabase": r"sbp_[0-9a-f]{40}",
    "easypost": r"EZ[AT]K[A-Za-z0-9]{54}",
    "newrelic": r"NRAK-[A-Z0-9]{27}",
    "telegram": rf"bot\d{{8,10}}:AA{_WORD}{{33}}",
}
_FORMS = {section: re.compile(shape + _END) for section, shape in _SHAPES.items()}
_TELEGRAM = re.compile(r"\d{8,10}:AA[A-Za-z0-9_\-]{33}" + _END)
_AZURE = re.compile(r"(?<![A-Za-z0-9_~.\-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.\-]{31,34}(?![A-Za-z0-9_~.\-])")
_AZURE_MARK = "Q~"
_FEWEST_DISTINCT = 6  # "sk-xxxxxxxx…" is a placeholder


def _keys(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    """Keys with a prefix, and two kinds with a mark inside: Azure secrets and Telegram bot tokens."""
    for trigger in text.triggers["secrets"]:
        match = _FORMS[trigger.section].match(text.text, trigger.start)
        if match and not _is_inside_word(text.text, trigger.start) and len(set(match.group()[4:])) >= _FEWEST_DISTINCT:
            yield span(match.start(), match.end(), EntityType.API_KEY, 0.95, "api_key")
    if _AZURE_MARK in text.text:
        for match in _AZURE.finditer(text.text):
            yield span(match.start(), match.end(), EntityType.API_KEY, 0.8, "api_key")
    if ":AA" in text.text:
        for length in (8, 9, 10):
            for start in text.numbers.plain.get(length, ()):
                match = _TELEGRAM.match(text.text, start)
                if match and not _is_inside_word(text.text, start):
                    yield span(match.start(), match.end(), EntityType.API_KEY, 0.85, "api_key")


def _is_inside_word(text: str, start: int) -> bool:
    before = text[start - 1 : start]
    return before.isascii() and before.isalnum()


RECOGNIZERS: tuple[Recognizer, ...] = (Rule("api_key", frozenset({EntityType.API_KEY}), _keys),)
