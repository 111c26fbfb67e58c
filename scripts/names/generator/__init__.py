"""Makes labelled messages for training: templates, fictional people, places, organizations and hard negatives."""
