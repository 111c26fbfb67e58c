"""VEHICLE_PLATE, IP_ADDRESS and API_KEY: what is found and what must not be."""

import pytest

from tests.pipeline.detect.marked import found, unmarked

PLATES = [
    "لوحة السيارة [[VEHICLE_PLATE ر ص ك ٩٠١]] باسم",
    "المركبة [[VEHICLE_PLATE 6462 ق ص ص]] مسجلة",
    "Plate [[VEHICLE_PLATE RBX 6120]] was parked",
    "[[VEHICLE_PLATE A B D 1234]]",
    "[[VEHICLE_PLATE KLR-4402]]",
    "[[VEHICLE_PLATE 1234 ABD]]",
    "[[VEHICLE_PLATE أ ب د ١٢٣٤]]",
    "[[VEHICLE_PLATE ١٢٣٤ أ ب د]]",
    "[[VEHICLE_PLATE هـ ن و 77]]",
    "[[VEHICLE_PLATE أ-ب-د 1234]]",
    "لوحة حرب 4521".replace("حرب 4521", "[[VEHICLE_PLATE حرب 4521]]"),
    "رقم اللوحة: [[VEHICLE_PLATE أبد1234]]",
    "plate no. [[VEHICLE_PLATE SAR 1234]]",
    "car plate [[VEHICLE_PLATE abd 1234]]",
    "SHA 512 hashes, RSA 4096 keys, HTTP 404 errors",
    "USB 3 hub, SLA 99, END 10 and EK 815",
    "سطر 12 وطلب 4410 وعدد 20",
    "KSA 2030 and VAT 15",
    "the abd 1234",
    "ABC 1234",
    "AB 1234",
    "ABDK 1234",
    "ABD 12345",
    "حرب 4521",
    "Gate A B 12",
    "THE 100 BEST",
    "عدد 3 و 4 أشخاص",
]
ADDRESSES = [
    "دخول من [[IP_ADDRESS 188.54.12.9]] في",
    "server [[IP_ADDRESS 10.0.0.5]] is down",
    "from [[IP_ADDRESS 2001:16a2:c0ff::10]] mac A4:83:E7:12:9B:01",
    "[[IP_ADDRESS 10.0.0.1]]:8080",
    "[[IP_ADDRESS 192.168.1.10]]/24",
    "http://[[IP_ADDRESS 203.0.113.7]]/x",
    "[[[IP_ADDRESS 2001:db8::1]]]:443".replace("[[[", "[ [[").replace("]]]", "]] ]"),
    "[[IP_ADDRESS ::1]]",
    "[[IP_ADDRESS ::ffff:203.0.113.57]]",
    "[[IP_ADDRESS fe80::1%eth0]] up",
    "[[IP_ADDRESS ١٨٨.٥٤.١٢.٩]]",
    "IP: [[IP_ADDRESS 188.54.12.9]].",
    "version 1.2.3",
    "see clause 4.3.2.1 and Section 4.3.2.2",
    "v1.2.3.4",
    "1.2.3.4.5",
    "256.1.1.1",
    "nginx/1.25.3",
    "A4:83:E7:12:9B:01",
    "std::vector",
    "a::b",
    "1:2:3",
    "release 10.1.2.3",
    "::",
]
GITHUB = "ghp_" + "K9abDCAAOOc1t3E9lh1OQltFyltRcz5MQCjT"
KEYS = [
    f"gh=[[API_KEY {GITHUB}]] end",
    f"مفتاح[[API_KEY {GITHUB}]]",
    "[[API_KEY " + "AKIA" + "MRB4SPDWOTYVJ4XR" + "]]",
    "SLACK=[[API_KEY " + "xoxb-" + "693958790220-365710503536-umi2Ye9xTbM6NsQUSbDnojvh" + "]]",
    "[[API_KEY " + "sk_test_" + "mEZNQVrWyU4TZqlF1ee8wLsW" + "]]",
    "[[API_KEY " + "mk_live_" + "abc123def456_" + "Q7w-" * 10 + "xYz" + "]]",
    "[[API_KEY " + "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q" + "]]",
    "[[API_KEY " + "sk-ant-" + "api03-" + "aB3dE5fG7h" * 9 + "xyzAA" + "]]",
    "[[API_KEY " + "hf_" + "abcdefghijKLMNOPqrstuvwxyzABCDefgh" + "]]",
    "[[API_KEY " + "SG." + "aB3dE5fG7hJ9kL1mN3pQ5r." + "aB3dE5fG7hJ9kL1mN3pQ5raB3dE5fG7hJ9kL1mN3pQ5" + "]]",
    "bot [[API_KEY " + "123456789:AA" + "aB3dE5fG7hJ9kL1mN3pQ5raB3dE5fG7hJ" + "]]",
    "[[API_KEY " + "glpat-" + "aB3dE5fG7hJ9kL1mN3pQ" + "]]",
    "nonce=j5opeU0KtFJQuXOLQGerUP6UgVtRmfyQ",
    "sha=54400df255ce3a0b835a2d4247b962311dbc4042",
    "pk_" + "test_mEZNQVrWyU4TZqlF1ee8wLsW",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123",
    "550e8400-e29b-41d4-a716-446655440000",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "AC" + "0123456789abcdef0123456789abcdef",
    "task-force and risk-based",
    "sk-learn",
    "key-value store",
]


@pytest.mark.parametrize("row", PLATES + ADDRESSES + KEYS)
def test_finds_exactly_what_is_marked(row: str) -> None:
    text, entities = unmarked(row)
    assert found(text) == entities
