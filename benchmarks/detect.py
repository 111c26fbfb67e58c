"""Detection: milliseconds per call and MB/s of UTF-8 at 1, 10, 100 KB and 1 MB, beside a floor and other detectors.

`masker` are the rules alone; `fast` and `accurate` the rules with a tagger for names. Their memory is that of a process
which has loaded the detector and read 100 KB.

    python -m benchmarks.detect [--seconds 2]

The text is half Arabic, half English by sentence, with about one entity per twelve words, of every type, with valid
check digits. The floor runs the detector's own regular expressions over the same text, without validation, context or
overlaps. The other detectors, where `requirements/bench.txt` is installed: presidio-analyzer's recognizers without a
language model, and tabayyan-privacy's detectors. One core, processor time, the best of several rounds.
"""

# ruff: noqa: SIM905
import argparse
import gc
import importlib
import inspect
import logging
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Callable

from pipeline.detect.detector import RECOGNIZERS, Detector
from pipeline.detect.recognizers.labelled import Labelled
from pipeline.detect.text.checksums import luhn
from pipeline.detect.text.normalize import normalize

SIZES = {"1 KB": 1_000, "10 KB": 10_000, "100 KB": 100_000, "1 MB": 1_000_000}
ROUNDS = 7
PATIENCE = 20.0  # seconds: a call that is expected to take longer is not made
TARGETS = {"presidio": {"1 KB": 20, "100 KB": 100}, "tabayyan": dict.fromkeys(SIZES, 2)}

ARABIC = (
    "وصل الطلب إلى القسم صباح اليوم بعد أن راجع الفريق كل الأوراق المرفقة مع الرسالة السابقة وتم الاتفاق على المتابعة "
    "لاحقا حسب الأنظمة المعمول بها في الشركة"
).split()
ENGLISH = (
    "the customer asked our team to review the attached papers again before we send them to the next department and "
    "then confirm when everything is ready for delivery"
).split()
EASTERN = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


def _digits(count: int) -> str:
    return "".join(secrets.choice("0123456789") for _ in range(count))


def _checked(lead: str, length: int) -> str:
    """`length` digits that begin with `lead` and pass Luhn."""
    body = lead + _digits(length - len(lead) - 1)
    return next(body + digit for digit in "0123456789" if luhn(body + digit))


def _iban() -> str:
    account = "80" + _digits(18)
    return f"SA{98 - int(account + '281000') % 97:02}{account}"


def _fours(text: str) -> str:
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))


# A phrase with one entity, by language: (Arabic, English).
PHRASES: tuple[tuple[Callable[[], str], Callable[[], str]], ...] = (
    (lambda: f"رقم الهوية {_checked('1', 10).translate(EASTERN)}", lambda: f"national ID {_checked('1', 10)}"),
    (lambda: f"رقم الإقامة {_checked('2', 10)}", lambda: f"iqama {_checked('2', 10)}"),
    (lambda: f"الآيبان {_fours(_iban())}", lambda: f"IBAN {_iban()}"),
    (lambda: f"جواله 05{_digits(8)}".translate(EASTERN), lambda: f"call +966 5{_digits(1)} {_digits(3)} {_digits(4)}"),
    (lambda: f"البريد user{_digits(4)}@example.com.sa", lambda: f"email a.b{_digits(3)}@example.com"),
    (lambda: "بتاريخ ١٢/٠٥/١٤٤٦هـ", lambda: "on 15 March 2024"),
    (lambda: "خلال ثلاثة أيام", lambda: "at 9:15 pm"),
    (lambda: "بمبلغ ١٬٢٥٠٫٥٠ ريال", lambda: f"paid SAR {secrets.randbelow(9000) + 1000:,}"),
    (lambda: f"البطاقة {_fours(_checked('4', 16))}", lambda: f"card {_checked('51', 16)}"),
    (lambda: f"جواز السفر A{_digits(8)}", lambda: f"passport K{_digits(7)}"),
    (lambda: f"رقم الملف الطبي {_digits(7)}", lambda: f"MRN {_digits(6)}"),
    (lambda: f"السجل التجاري 4030{_digits(6)}", lambda: f"C.R. 1010{_digits(6)}"),
    (lambda: f"الرقم الضريبي 3{_digits(13)}3", lambda: f"VAT no. 3{_digits(13)}3"),
    (lambda: "لوحة السيارة ر ص ك ٩٠١", lambda: "plate RBX 6120"),
    (lambda: f"الرقم الجامعي 44{_digits(7)}", lambda: f"student ID 44{_digits(7)}"),
    (lambda: f"رقم الوثيقة {_digits(8)}", lambda: f"policy no. POL-2026-{_digits(5)}"),
    (lambda: f"رقم الترخيص 16-R-M-{_digits(7)}", lambda: f"SCFHS-{_digits(7)}"),
    (lambda: f"المفتاح {'ghp' + '_'}{_digits(20)}abcdefghijklmnop", lambda: f"key {'AK' + 'IA'}MRB4SPDWOTYVJ4XR"),
    (lambda: "الضمان الاجتماعي 349-22-8107", lambda: "SSN 349-22-8107"),
    (lambda: "من العنوان 188.54.12.9", lambda: "from 2001:16a2:c0ff::10"),
    (lambda: "السيد فهد بن ناصر القحطاني", lambda: "Mr Ahmed Al-Harbi"),
    (lambda: "في مدينة الرياض", lambda: "in Jeddah"),
    (
        lambda: "العنوان: 7878 طريق خريص، حي الروابي، الرياض 14214",
        lambda: "at 6926 Ibn Sina St, As Safa Dist., Makkah 63309",
    ),
    (lambda: "لدى مصرف الراجحي", lambda: "at Saudi German Hospital"),
)  # fmt: skip
WORDS_AROUND = 9  # and an entity of three words: one per twelve


def sample(size: int) -> str:
    """A text of about `size` bytes of UTF-8: Arabic and English in turn."""
    sentences: list[str] = []
    written = 0
    while written < size:
        arabic = len(sentences) % 2
        words = ARABIC if arabic else ENGLISH
        first = secrets.randbelow(len(words) - WORDS_AROUND)
        phrase = PHRASES[len(sentences) // 2 % len(PHRASES)][0 if arabic else 1]()
        sentence = f"{' '.join(words[first : first + WORDS_AROUND])} {phrase}" + (".\n" if len(sentences) % 3 else ". ")
        sentences.append(sentence)
        written += len(sentence.encode())
    return "".join(sentences)


def best(calls: dict[str, Callable[[str], object]], text: str, seconds: float) -> dict[str, float]:
    """Processor seconds of one call of each, the best of several rounds of about `seconds` in all.

    The calls take turns within a round, so that a change of the machine's speed affects all of them.
    """
    once = {name: _seconds(call, text, 1) for name, call in calls.items()}
    repeats = {name: max(1, int(seconds / ROUNDS / max(took, 1e-6))) for name, took in once.items()}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            once[name] = min(once[name], _seconds(call, text, repeats[name]))
    return once


def _seconds(call: Callable[[str], object], text: str, repeats: int) -> float:
    began = time.process_time()
    for _ in range(repeats):
        call(text)
    return (time.process_time() - began) / repeats


def floor() -> Callable[[str], object]:
    """The detector's regular expressions and its scans for numbers and labels, bare."""
    forms: list[re.Pattern[bytes]] = []
    for recognizer in RECOGNIZERS:
        if isinstance(recognizer, Labelled):
            forms.append(recognizer.form)  # noqa: PERF401
    dates = ("date_time.numeric", "date_time.month_names", "date_time.clock", "date_time.durations")
    for family in ("banking", *dates, "passport", "monetary_amount", "registers"):
        module = importlib.import_module(f"pipeline.detect.recognizers.{family}")
        forms += [value for value in vars(module).values() if _scans(value)]

    def run(text: str) -> None:
        normalized = normalize(text)
        _ = normalized.numbers, normalized.triggers
        for form in forms:
            for _match in form.finditer(normalized.shadow):
                pass

    return run


def _scans(value: object) -> bool:
    """Whether it is an expression over shadows that consumes something and is not anchored to a window's end."""
    return (
        isinstance(value, re.Pattern)
        and isinstance(value.pattern, bytes)
        and value.match(b"") is None
        and not value.pattern.rstrip().endswith(b"$")
    )


def presidio() -> Callable[[str], object]:
    """Presidio's analyzer as a service runs it, with every recognizer it ships that needs no language model (patterns,
    and telephone numbers), and spaCy's bare tokenizer in a model's place: context words need tokens. ImportError."""
    analyzer = importlib.import_module("presidio_analyzer")
    predefined = importlib.import_module("presidio_analyzer.predefined_recognizers")
    nlp_engine = importlib.import_module("presidio_analyzer.nlp_engine")
    spacy = importlib.import_module("spacy")
    recognizers = [_built(kind) for _, kind in inspect.getmembers(predefined, inspect.isclass)]
    without_model = (analyzer.PatternRecognizer, predefined.PhoneRecognizer)
    patterns = [recognizer for recognizer in recognizers if isinstance(recognizer, without_model)]
    tokenizer = nlp_engine.SpacyNlpEngine(models=[{"lang_code": "en", "model_name": "blank"}])
    tokenizer.nlp = {"en": spacy.blank("en")}
    registry = analyzer.RecognizerRegistry(recognizers=patterns, supported_languages=["en"])
    engine = analyzer.AnalyzerEngine(registry=registry, nlp_engine=tokenizer, supported_languages=["en"])
    return lambda text: engine.analyze(text, language="en")


def _built(kind: type) -> object:
    """An instance for English, or None where the class needs arguments or a package of its own."""
    try:
        return kind(supported_language="en")
    except (TypeError, ValueError, ImportError):
        return None


def tabayyan() -> Callable[[str], object]:
    """tabayyan-privacy's scan of one text. ImportError when missing."""
    scan: Callable[[str], object] = importlib.import_module("tabayyan").DetectionEngine().scan
    return scan


def main() -> int:
    """Prints the table, and each target with its ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="time spent on each figure")
    seconds: float = parser.parse_args().seconds
    logging.disable(logging.CRITICAL)  # the other detectors report what they skip
    detector = Detector()
    rows: dict[str, Callable[[str], object]] = {"masker": detector.detect, "floor": floor()}
    rows |= {tier: Detector(names=tier).detect for tier in ("fast", "accurate")}
    for name, build in (("presidio", presidio), ("tabayyan", tabayyan)):
        try:
            rows[name] = build()
        except ImportError:
            print(f"{name}: not installed (requirements/bench.txt); left out\n")
    gc.collect()
    gc.freeze()  # as a server does after building its detector
    figures: dict[str, dict[str, float]] = {name: {} for name in rows}
    texts = {label: sample(size) for label, size in SIZES.items()}
    for label, text in texts.items():
        quick = {name: call for name, call in rows.items() if _expected(list(figures[name].values())) < PATIENCE}
        for name, took in best(quick, text, seconds).items():
            figures[name][label] = took
    _print(figures, texts)
    base = memory("rules", texts["100 KB"])
    for tier in ("fast", "accurate"):
        used = memory(tier, texts["100 KB"])
        print(
            f"\nMemory of a process with {tier}: {used:.0f} MB, {used - base:.0f} MB above rules ({used / base:.2f}x)."
        )
    entities = len(detector.detect(texts["100 KB"]).spans)
    print(f"\nEntities found in 100 KB: {entities}, one per {len(texts['100 KB'].split()) / entities:.1f} words.")
    return 0


def memory(names: str, text: str) -> float:
    """The largest resident memory, in MB, of a process that has read a text."""
    script = (
        "import sys; from pipeline.detect.detector import Detector; text = sys.stdin.read();"
        "Detector(names=sys.argv[1]).detect(text);"
        "print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    command = [sys.executable, "-c", script, names]
    return int(subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout) / 1024


def _expected(earlier: list[float]) -> float:
    """Expected seconds at the next size, from the growth between the last two."""
    return earlier[-1] ** 2 / max(earlier[-2], 1e-9) if len(earlier) > 1 else 0.0


def _print(figures: dict[str, dict[str, float]], texts: dict[str, str]) -> None:
    print("| | " + " | ".join(f"{label}: ms | MB/s" for label in texts) + " |")
    print("|---" * (1 + 2 * len(texts)) + "|")
    for name, measured in figures.items():
        cells = []
        for label, text in texts.items():
            took = measured.get(label)
            cells.append(f"{took * 1000:.2f} | {len(text.encode()) / 1e6 / took:.2f}" if took else "- | -")
        print(f"| {name} | " + " | ".join(cells) + " |")
    for name in figures.keys() - {"masker"}:
        ratios = {label: took / figures["masker"][label] for label, took in figures[name].items()}
        shown = ", ".join(f"{label} {ratio:.1f}x" for label, ratio in ratios.items())
        wanted = ", ".join(f"{label} >= {target}x" for label, target in TARGETS.get(name, {}).items())
        print(f"\nmasker against {name}: {shown}" + (f" (wanted: {wanted})" if wanted else ""))


if __name__ == "__main__":
    raise SystemExit(main())
