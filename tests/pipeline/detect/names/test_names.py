"""PERSON: what is found, with its exact edges, and what must not be."""

import pytest

from pipeline.detect.text.normalize import normalize
from schemas.entities import EntityType
from schemas.spans import DetectOptions
from tests.pipeline.detect.marked import detector, found, unmarked

PERSONS = DetectOptions(enabled=frozenset({EntityType.PERSON}))

ARABIC = [
    "سعادة الأستاذة [[PERSON نورة سالم المثالي]] المحترمة، تحية",
    "المؤمن له [[PERSON نايف الحربي]] سارية حتى",
    "زوجتي [[PERSON هند]] وابني [[PERSON تركي]]",
    "أخت [[PERSON خلود]] مسافرة",
    "وكيل الورثة [[PERSON مساعد بن فرج السبيعي]] بموجب",
    "الموظف [[PERSON صالح]] في إجازة",
    "عميلنا العزيز [[PERSON حسن الجعيد]]، نود",
    "اتصل على [[PERSON وليد]] او [[PERSON ماهر]] الليلة",
    "[[PERSON محمد]] و[[PERSON أحمد]] و[[PERSON علي]] نجحوا",
    "وقع [[PERSON أحمد الزهراني]] و[[PERSON علي الغامدي]] العقد",
    "حضر [[PERSON سعد]] و[[PERSON علي بن حسن الشمري]] و[[PERSON نورة]]",
    "زار [[PERSON محمد]] وعلى الغامدي أن ينتظر",
    "كتب [[PERSON أحمد]] و[[PERSON علي]] القائمة",
    "تواصل مع د.[[PERSON سلطان]] في العيادة",
    "وقع العقد مع [[PERSON نبيل الرشيد]] أمس",
    "مع نجاح باهر للفريق",
    "اعتمد [[PERSON فهد الحربي]] على المطيري في العمل",
    "وعلى السبيعي أن يحضر، وعلى [[PERSON محمد الشهري]] مثله",
    "وقع [[PERSON سعد]] و[[PERSON لمياء الحقباني]] و[[PERSON بشرى الخريجي]]",
    "الموظفون: [[PERSON هادي يامي]]، [[PERSON صلاح بامفلح]]",
    "قولوا لـ [[PERSON ليلى]] تجيب الأوراق",
    "ابي رقم [[PERSON الجازي]] ضروري",
    "عند [[PERSON ابو ناصر]] البارحة",
    "العاملة المنزلية [[PERSON سيتي نورهايتي]] جواز",
    "السيد [[PERSON سمير حنا]] هوية 5",
    "الاسم الرباعي : [[PERSON ناصر علي حسن عسيري]] الجنسية",
    "المهندسة [[PERSON كلير]] والعامل [[PERSON راجو]]",
    "حضرة السيدة [[PERSON ميرفت الأسمري]]، نفيدكم",
    "نرجو من [[PERSON حنين]] مراجعتنا",
    "اجتماع الورثة: [[PERSON فهيد]] و[[PERSON سارة]]",
    "[[PERSON إيمان]]، وينك؟",
    "استلمت من السيد [[PERSON كمال حسن]] مبلغ",
    "معك [[PERSON نايف الدوسري]] من المبيعات",
    "السيد/ [[PERSON عبدالإله بن ناصر الزهراني]] يعمل لدينا",
    "السيدة/ [[PERSON وفاء بنت إبراهيم الحازمي]] تعمل لدينا",
    "د. [[PERSON لينا قطان]] ترخيص رقم 4",
    "أ.د. [[PERSON سامي الفقيه]]",
    "م/ [[PERSON خالد]] سيصل غدا",
    "يا [[PERSON غسان]] وينك",
    "عزيزي [[PERSON ياسر]]، تم الإيداع",
    "الأخ [[PERSON ظافر]]، أرسل الملف",
    "أعطيت الجوال ل[[PERSON سارة]] و[[PERSON نوف]]",
    "ول[[PERSON محمد الشهري]] مثله",
    "حساب [[PERSON عضيب بن لوط المعيقل]] موقوف",
    "[[PERSON عبد الله بن عبد الرحمن السعد]] حضر",
    "[[PERSON عبدالشكور بن عبدالوهاب بن مصعب السحيلي]] وقع",
    "زارنا [[PERSON دخيل الله السلمي]] أمس",
    "الأستاذ [[PERSON نور الدين بلقاسم]] مدرس",
    "الأمير [[PERSON فيصل بن بندر]] افتتح المعرض",
    "قابلت [[PERSON محمد آل سعود]] هناك",
    "للطالبة [[PERSON شموخ الزهراني]] عذر",
    "الاسم: [[PERSON قتيبة الطريس]]",
    "الاسم: [[PERSON زعفران مرجان]]\nالعمر: 30",
    "الاسم:\n[[PERSON قتيبة الطريس]]\nالعمر: 30",
    "الاسم:\n[[PERSON نورة]] حضرت",
    "اسم ولي الأمر\n[[PERSON منصور بن ثامر العتيبي]]\nرقم السجل",
    "الاسم [[PERSON خَالِد الغَامِدِي]] والجوال",
    "والاسم [[PERSON ري\u200cم السهلي]].",
    "تواصلوا مع [[PERSON رائد]] اليوم",
    "الشيخ [[PERSON حمد بن خليفة]] وصل",
    "شكره [[PERSON عادل البقمي]] كثيرا",
    "المدير [[PERSON حسين الحداد]] وافق",
    "قال [[PERSON أبو عبد الله]] اليوم",
    "[[PERSON مصطفى عبد العاطي]]",
    "بنتي [[PERSON لارا]] مريضة",
    "[[PERSON أسيل]] و[[PERSON جنى]] طالبتان",
    "طلب [[PERSON زعفران العلياني]] رقم 5",
    "المشرف [[PERSON معيض القرني]]: تم الاستلام",
    "سالمين، معكم [[PERSON هيا المطيري]]",
]
NOT_ARABIC = [
    "الاسم:\nللاستفسار يمكن مراجعة المكتب",
    "الاسم:\nصفحة 9 / 4",
    "الاسم التجاري: ركن القهوة",
    "وحق الموظف محفوظ",
    "بنت جميلة وولد هادي",
    "كلمت خدمة العملاء وسألت عنه",
    "استلمت من الشركة الرد",
    "شارع عمر بن عبدالعزيز زحمة",
    "سورة مريم وسورة يوسف",
    "برنامج الملك سلمان للإسكان",
    "يا رب توفيقك",
    "المهندس رفع التقرير",
    "العميل راضي عن الخدمة",
    "كان سعيد سعيدا",
    "الطالب ناجح",
    "زوجتي حامل",
    "ابنتي تدرس طب",
    "مدير المبيعات مشغول",
    "عملية ناجحة بفضل الله",
    "جرى العمل على قدم وساق",
    "شارع الأمير ماجد مغلق",
    "طريق الملك فهد",
    "في جامعة الملك سعود وجامعة الأميرة نورة بنت عبدالرحمن",
    "مستشفى الملك خالد الجامعي",
    "مدرسة خالد بن الوليد",
    "مسجد عمر بن الخطاب",
    "شركة محمد الراجحي للمقاولات",
    "كان الجو جميل وهادي، ومعنا فارس على حصانه",
    "في كل صباح وعد جديد وندى على الورد",
    "المدير عادل مع الجميع والعمل ممتاز",
    "أنا سعيد جدا اليوم",
    "أمل كبير إن شاء الله",
    "يا سلام عليكم",
    "شهر ربيع الثاني",
    "شهر رجب وشهر رمضان",
    "وزير الخارجية السوري",
    "التواصل مع الدعم على الرقم",
    "السلام على الجميع",
    "قهوة بن يمني",
    "ابن عمه سافر",
    "الحمد لله على كل حال",
    "سوق الخميس والعيد الثاني",
    "اسم الشركة: زعفران مرجان",
    "اسم المستخدم: زعفران",
    "بسم الله الرحمن الرحيم",
    "حي الروضة شارع صاري",
    "المنتج نادر وممتاز",
    "مدينة الأمير سلطان الطبية العسكرية",
    "وقالت وزارة العمل",
    "الصبر بداية نجاح جميل",
    "رفيق الدرب",
]
LATIN = [
    "customer [[PERSON Ahmed العتيبي]] waits",
    "[[PERSON محمد Al-Otaibi]] called",
    "الأستاذ [[PERSON Khalid بن فهد]]",
    "[[PERSON محمد bin سلمان]]",
    "[[PERSON Noura AlShehri]] [[PERSON نورة الشهري]]",
    "السيد [[PERSON Anthony Fernandes]] هنا",
    "My wife [[PERSON Noor]] and our son [[PERSON Faris]]",
    "our daughter, [[PERSON Zzyxa]], was born",
    "PASSENGER [[PERSON SMITH/JOHN]] MR",
    "1.[[PERSON ALQAHTANI/SAAD]] MR 2.[[PERSON VORNATH/ZZYXA ANN]] MRS SV 123",
    "@[[PERSON Reem]] can you check",
    "thx [[PERSON khalid]], see u",
    "spoke with [[PERSON khaled]] today",
    "Dear Ms. [[PERSON van der Berg]],",
    "Hello [[PERSON Zzyxa]], kindly share",
    "[[PERSON Noura Almithali]] <noura.almithali@example.com>",
    "Mr./[[PERSON Khalid Alharbi]]",
    "[[PERSON Ahmed]]/[[PERSON Khalid]] met",
    "Dear [[PERSON Khalid]]\\nThanks",
    "I'm [[PERSON Mansour Al-Harbi]], ID 1686003524",
    "[[PERSON Asim bin Ahmed Al Qathami]] paid",
    "Dr. [[PERSON Ellaine Tabanao]], SCFHS",
    "Mr [[PERSON Smithers]] called",
    "Ms. [[PERSON Fatimah Al-Zahrani]], hello",
    "Employee [[PERSON Lotfy S. Alhashim]] reports to [[PERSON Junjun Del Rosario]] from May",
    "policy holder [[PERSON UMAIR AL HUWAITI]], email x",
    "From [[PERSON Karthik Raman]] <k@example.in>",
    "signatory [[PERSON Hattan Qurashi]].",
    "iqama for [[PERSON Md Shafiqul Islam]]",
    "[[PERSON Mst. Nargis Parvin]] SSN: 1",
    "[[PERSON Taif Alsulami]], Qassim University",
    "[[PERSON Zzyx Vornath]] (passport A1)",
    "[[PERSON Yousef]]'s laptop",
    "Please add [[PERSON O'Connor]] and [[PERSON Jean-Pierre Martin]]",
    "[[PERSON Sa'ad Al-Otaibi]] signed",
    "my name is [[PERSON mohammed alqahtani]] and",
    "Ask [[PERSON Nithin]].",
    "Dear [[PERSON Grace]],",
    "[[PERSON Hope Ramirez]] has hope",
    "Full Name: [[PERSON Vornath Quillby]]\nAge: 3",
    "Name الاسم: [[PERSON Ohoud Alqarni]] — Passport",
    '{"first_name":"[[PERSON Zzyx]]","lastName":"[[PERSON Vornath]]","x":1}',
    "customer_name=[[PERSON Zzyx Vornath]]&x=1",
    "assigned_to: [[PERSON Bilal Khan]]",
    "[[PERSON AL-DOSSARI, NASSER]]".replace(
        "[[PERSON AL-DOSSARI, NASSER]]", "[[PERSON AL-DOSSARI]], [[PERSON NASSER MOHAMMED]]"
    ),
    "[[PERSON Gomez]], [[PERSON Luis Antonio]] came",
    "Student ID 4 [[PERSON Nabila Al Suhaili]] Umm Al-Qura University",
    "[[PERSON Abdul Rahman Al Harthi]] discharged",
    "Name: [[PERSON Santa Maria]]",
    "[[PERSON Jose San Martin]] called",
    "Dr. [[PERSON San Htet]] and Mr. St. [[PERSON John]] met",
]
NOT_LATIN = [
    "Dear Diary, Dear Friend, Brother Printer model",
    "My Friend Requests and Guard Room and Hello Kitty stickers",
    "Contact: noura.almithali@example.com",
    "path /home/khalid/projects/noura/readme.md",
    "C:\\Users\\khalid.alharbi\\report.docx",
    "CORP\\khalid logged in",
    "db.noura.internal and khalid.pdf",
    "feature/noura-login",
    "see https://example.sa/patients/ahmed-saleh?id=4",
    "The Prince Sultan street exit",
    "King Fahd road is jammed",
    "Invoice for Faisal & Sons",
    "input/output MR and A/B TEST",
    "King Fahd Road and Prince Turki Street",
    "King Saud University",
    "Dr. Sulaiman Al Habib Medical Group",
    "Parkinson disease",
    "May I ask if the bill will be frankly explained?",
    "Will you be there in May?",
    "The Grant was approved by the Best Practice committee",
    "Bill of lading and Jack hammers",
    "Summer Sale: Rose Gold",
    "Contact Customer Service",
    "Please Find Attached The Report",
    "PAYMENT RECEIVED IN FULL",
    "AWS=AKIA SLACK=x",
    "Company Name: Blue Horizon",
    "File name: Quillby Vornath",
    "Ahmed Trading Est.",
    "Mohammed Ali Street",
    "ahmed.ali@example.com and sara@example.com",
    "https://example.com/Ahmed-Ali/x",
    "from April to June",
    "Mall of Arabia",
    "Riyadh and Jeddah and San Francisco",
    "Safeway San Jose, Safeway Santa Maria 12, the Westin St. Francis",
    "<MASKED_PERSON_ab12cd34> and PERSON_NAME_01",
    "Monday Morning Meeting Minutes",
    "class Ahmed_Ali(Base): pass",
    "RSA 4096, SHA 512, HTTP 404",
    "with Olive Oil and Crystal Clear Glass",
    "Author: Rich",
    "Quality Assurance Manager Training Plan",
]


@pytest.mark.parametrize("marked", ARABIC + LATIN)
def test_a_name_is_found_whole_without_title_or_clitic(marked: str) -> None:
    text, expected = unmarked(marked)
    assert found(text, PERSONS) == expected


@pytest.mark.parametrize("text", NOT_ARABIC + NOT_LATIN)
def test_words_that_only_look_like_names_stay(text: str) -> None:
    assert found(text, PERSONS) == []


@pytest.mark.parametrize(
    ("heading", "cell"),
    [
        ("Name", "Zzyx Vornath"),
        ("الاسم", "زعفران مرجان"),
        ("اسم الموظف", "وعد"),
        ("Customer Name", "GRACE HOPE"),
        ("Customer", "May Long"),
        ("full_name", "Alsulami, Taif"),
        ("العميل", "نور"),
        ("Project manager name", "Zzyx Vornath"),
        ("Name of vehicle owner", "Zzyx Vornath"),
        ("اسم مدير المشروع", "زعفران مرجان"),
    ],
)
def test_a_cell_under_a_name_heading_is_a_name(heading: str, cell: str) -> None:
    options = DetectOptions(enabled=PERSONS.enabled, context=heading)
    assert found(cell, options) == [("PERSON", cell)]


@pytest.mark.timeout(20)
@pytest.mark.parametrize("part", ["a", "full ", "given_", "م", "1", "name ", "nam", "name of the "])
def test_a_heading_of_a_document_may_be_long(part: str) -> None:
    """A field of a PDF may have a label of any length."""
    found("Zzyx Vornath", DetectOptions(enabled=PERSONS.enabled, context=part * 200_000))


@pytest.mark.parametrize(
    ("heading", "cell"),
    [
        ("Company name", "Zzyx Vornath"),
        ("اسم المنتج", "زعفران"),
        ("Flag name", "Zzyx Vornath"),
        ("Owner's vehicle name", "Zzyx Vornath"),
        ("اسم الحقل", "زعفران"),
        ("Name", "12345"),
        ("Name", ""),
        ("Name", "see the attached file"),
        ("Notes", "Zzyx Vornath"),
        ("Status", "Will"),
        ("Name", "EAN"),
        ("Name", "Ext"),
        ("Patient name", "Admission"),
        ("الصنف", "أنبوب نحاس"),
    ],
)
def test_a_cell_under_another_heading_is_not(heading: str, cell: str) -> None:
    options = DetectOptions(enabled=PERSONS.enabled, context=heading)
    assert found(cell, options) == []


def test_edges_are_those_of_the_original_text() -> None:
    text = "الاسم: خَالـــِد\u200f الغَامِدِي،"
    (span,) = detector().detect(text, PERSONS).spans
    assert normalize(text[span.start : span.end]).text == "خالد الغامدي"
