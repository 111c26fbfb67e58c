"""The version of this program, as answers, reports and the package itself give it."""

VERSION = "0.1.0"
