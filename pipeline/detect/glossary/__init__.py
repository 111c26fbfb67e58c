"""Glossary terms of the caller: terms that are always masked, and terms that are allowed to stay."""
