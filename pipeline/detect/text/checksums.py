"""Check digits: Luhn (cards and Saudi identity numbers), ISO 7064 mod 97 (IBAN), ICAO 9303 (machine-readable zones)."""

_DOUBLED = bytes.maketrans(b"0123456789", b"0246813579")  # the digit sum of the double
_ZERO = ord("0")
_SHIFT = str.maketrans({chr(ord("A") + i): str(10 + i) for i in range(26)})
_MRZ_WEIGHTS = (7, 3, 1)


def luhn(digits: str) -> bool:
    """ISO/IEC 7812-1 over ASCII digits. For ten digits this is the Saudi rule that doubles positions 1, 3, 5, 7, 9."""
    codes = digits.encode()
    return (sum(codes[-1::-2]) + sum(codes[-2::-2].translate(_DOUBLED)) - _ZERO * len(codes)) % 10 == 0


def mod97(iban: str) -> bool:
    """ISO 13616 over a compact IBAN: capitals and ASCII digits."""
    return int((iban[4:] + iban[:4]).translate(_SHIFT)) % 97 == 1


def mrz(field: str, check: str) -> bool:
    """ICAO 9303-3: weights 7, 3, 1; `<` is 0, A is 10. A check digit `<` means 0, for an empty optional field."""
    total = sum(_mrz_value(character) * _MRZ_WEIGHTS[index % 3] for index, character in enumerate(field))
    return total % 10 == (0 if check == "<" else ord(check) - 48)


def _mrz_value(character: str) -> int:
    if character.isdigit():
        return ord(character) - 48
    return 0 if character == "<" else ord(character) - 55
