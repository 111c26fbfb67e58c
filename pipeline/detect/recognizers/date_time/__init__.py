"""DATE_TIME: dates in digits or with the name of a month, clock times, durations."""

from pipeline.detect.recognizer import Recognizer
from pipeline.detect.recognizers.date_time.clock import CLOCK_TIMES
from pipeline.detect.recognizers.date_time.durations import DURATIONS
from pipeline.detect.recognizers.date_time.month_names import VERBAL_DATES
from pipeline.detect.recognizers.date_time.numeric import DATES

RECOGNIZERS: tuple[Recognizer, ...] = (DATES, CLOCK_TIMES, VERBAL_DATES, DURATIONS)
