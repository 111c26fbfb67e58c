"""Types that all packages share: entity catalogue, requests, answers, job records, errors and settings."""
