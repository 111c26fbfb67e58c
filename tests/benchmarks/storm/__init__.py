"""The judges of the storm turn red: each thing that must not be is planted in real databases and folders."""
