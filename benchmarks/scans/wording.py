"""What the pages say around their values: labels, and sentences that hold nothing personal but some durations."""

import re

from schemas.entities import EntityType as T

# Labels by type: Arabic, English.
LABELS = {
    T.PERSON: ("الاسم", "Name"),
    T.NATIONAL_ID: ("رقم الهوية الوطنية", "National ID"),
    T.RESIDENCE_PERMIT: ("رقم الإقامة", "Iqama No."),
    T.PHONE_NUMBER: ("رقم الجوال", "Mobile"),
    T.IBAN: ("رقم الآيبان", "IBAN"),
    T.DATE_TIME: ("تاريخ الميلاد", "Date of birth"),
    T.PASSPORT: ("رقم الجواز", "Passport No."),
    T.EMAIL_ADDRESS: ("البريد الإلكتروني", "E-mail"),
    T.CREDIT_CARD: ("رقم البطاقة", "Card number"),
    T.MRN: ("رقم الملف الطبي", "MRN"),
    T.BUSINESS_ID: ("رقم السجل التجاري", "Commercial registration"),
    T.TAX_ID: ("الرقم الضريبي", "VAT number"),
}

SENTENCES = {
    "ar": [
        "نفيدكم بأنه تمت مراجعة الطلب المقدم واستكمال جميع المستندات المطلوبة حسب التعليمات المعتمدة.",
        "تم تحديث البيانات في النظام بعد مطابقتها مع النموذج الورقي المرفق بهذا الخطاب.",
        "نأمل الاطلاع واتخاذ ما يلزم مع مراعاة الالتزام بالضوابط المنظمة لهذه الخدمة.",
        "يرجى التأكد من صحة البيانات قبل التوقيع على النموذج وإعادته إلى القسم المختص.",
        "بلغ عدد الطلبات المكتملة 46 طلبا من أصل 58 وبقي 12 طلبا قيد المراجعة.",
        "لا يعد هذا المستند صالحا إلا بعد ختمه واعتماده من صاحب الصلاحية.",
        "تطبق الشروط والأحكام المذكورة في الصفحة 3 من الدليل على جميع المتقدمين للخدمة.",
        "وقد تم إشعار المستفيد بنتيجة الطلب وطريقة استلام الوثيقة من نقطة الخدمة.",
        "تحفظ نسخة من هذا النموذج في ملف المعاملة وترسل نسخة أخرى إلى الجهة الطالبة.",
        "يجوز طلب إعادة النظر خلال 30 يوما من استلام الإشعار عبر القنوات المعتمدة.",
        "تستكمل الإجراءات بعد سداد الرسوم المقررة وإرفاق الإيصال مع الطلب.",
        "للاستفسار يمكن مراجعة مكتب خدمة المستفيدين في الدور 2 خلال ساعات العمل.",
    ],
    "en": [
        "The application was reviewed and all required papers were received in line with the instructions.",
        "The record was updated in the system after it had been compared with the attached paper form.",
        "Please read the enclosed terms carefully and return the signed form to the department in charge.",
        "Of 58 applications 46 were completed and 12 are still being checked by the second reviewer.",
        "This paper is valid only when it bears the stamp and the approval of the authorised office.",
        "The terms on page 3 of the guide apply to everyone who uses this service.",
        "The outcome and the way to collect the paper were announced at the service point.",
        "Keep this copy until the procedure is closed; no further fee is due for the renewal.",
        "One copy stays in the file of the case and another goes to the office that asked for it.",
        "A review may be requested within 30 days after this notice was received.",
        "The procedure goes on when the fee is paid and the receipt is attached to the application.",
        "Questions are answered at the service desk on floor 2 during working hours.",
    ],
}

DURATION = re.compile(r"(\d+ (?:يوما|days)|أسبوعين|two weeks)")  # which redaction rightly takes, as DATE_TIME

# Names of places and institutions, which redaction rightly takes.
HEADS = {
    "ar": ["المملكة العربية السعودية", "وزارة الصحة", "أمانة منطقة الرياض", "مدينة الرياض"],
    "en": ["Kingdom of Saudi Arabia", "Ministry of Health", "Riyadh Municipality", "Riyadh"],
}

TITLES = {
    "letter": ("خطاب تعريف", "Letter of confirmation"),
    "form": ("نموذج طلب خدمة", "Service application form"),
    "ruled": ("كشف بيانات المستفيدين", "List of beneficiaries"),
    "receipt": ("إيصال استلام", "Receipt"),
    "medical": ("تقرير طبي", "Medical report"),
    "invoice": ("فاتورة ضريبية", "Tax invoice"),
    "cards": ("صورة الهوية", "Copies of identity cards"),
    "unruled": ("قائمة المراجعين", "List of visitors"),
    "notice": ("إشعار تحديث بيانات", "Notice of updated data"),
}

GOODS = {
    "ar": ["ورق طباعة", "حبر أسود", "ملفات بلاستيك", "كرسي مكتب", "مصباح طاولة", "أقلام زرقاء", "حامل شاشة"],
    "en": ["Printing paper", "Black ink", "Plastic folders", "Office chair", "Desk lamp", "Blue pens", "Screen stand"],
}

FINDINGS = {
    "ar": [
        "حضر المريض إلى العيادة يشكو من ألم في أسفل الظهر منذ أسبوعين دون إصابة سابقة.",
        "أظهر الفحص السريري حركة طبيعية للمفاصل مع ألم خفيف عند الانحناء.",
        "ضغط الدم 128 على 82 والنبض 74 والحرارة 37 درجة والوزن 81 كيلوغرام.",
        "أوصي بالراحة وتمارين الإطالة ومسكن عند الحاجة ثم مراجعة العيادة.",
    ],
    "en": [
        "The patient complains of pain in the lower back for two weeks, without an earlier injury.",
        "On examination the joints move freely; bending causes slight pain on the left side.",
        "Blood pressure 128 over 82, pulse 74, temperature 37 and weight 81 kg.",
        "Rest, stretching exercises and a pain reliever as needed; to be seen again in the clinic.",
    ],
}

STAYING = {  # labels and words of forms and tables
    "ar": {
        "no": "م", "notes": "ملاحظات", "item": "الصنف", "count": "الكمية", "price": "السعر", "sum": "الإجمالي",
        "status": "الحالة", "done": "مكتمل", "open": "قيد المراجعة", "page": "صفحة", "sign": "التوقيع",
        "greeting": "السلام عليكم ورحمة الله وبركاته", "regards": "وتقبلوا خالص التحية والتقدير",
        "whom": "نفيدكم بأن", "bearer": "يحمل", "thanks": "شكرا لزيارتكم",
    },
    "en": {
        "no": "No.", "notes": "Notes", "item": "Item", "count": "Qty", "price": "Price", "sum": "Total",
        "status": "Status", "done": "completed", "open": "in review", "page": "Page", "sign": "Signature",
        "greeting": "Dear Sir or Madam,", "regards": "With kind regards",
        "whom": "We confirm that", "bearer": "holds", "thanks": "Thank you for your visit",
    },
}  # fmt: skip


def alphabet(language: str) -> frozenset[str]:
    """Every character that a font of the language must hold."""
    place = 0 if language == "ar" else 1
    words = [*SENTENCES[language], *HEADS[language], *GOODS[language], *FINDINGS[language]]
    words += [*STAYING[language].values(), *(pair[place] for pair in (*LABELS.values(), *TITLES.values()))]
    signs = "٠١٢٣٤٥٦٧٨٩:/" if language == "ar" else "0123456789:/+@"
    return frozenset("".join(words)) - frozenset(" 0123456789") | frozenset(signs)
