"""The engines that find and read lines of text, one in each module."""
